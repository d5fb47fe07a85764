// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package model

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/internal/fault"
)

func TestWrongDriverMisspellsStandardAttributes(t *testing.T) {
	g := NewWithT(t)
	root := func() string { return *load(t, nic, 2).Devices[1].Attributes[AttributePCIeRoot].StringValue }
	g.Expect(root()).To(Equal("pci0001:00"))
	fault.MisspellsStandardAttributes = true
	defer func() { fault.MisspellsStandardAttributes = false }()
	g.Expect(root()).To(Equal("0001:00"))
}
