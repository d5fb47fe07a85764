// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/plugin"
)

func TestRunRejectsAnInvalidInventory(t *testing.T) {
	g := NewWithT(t)
	config, api := newConfig(t)
	config.Inventory = func(string, control.Devices) (*describe.Inventory, error) {
		return &describe.Inventory{Devices: []resourceapi.Device{{Name: "no label"}}}, nil
	}
	err := plugin.Run(t.Context(), config)
	g.Expect(err).To(MatchError(ContainSubstring(`check inventory: device "no label"`)))
	g.Expect(api.Client.Actions()).To(BeEmpty(), "it sends no requests")
}
