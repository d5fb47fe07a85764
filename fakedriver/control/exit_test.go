// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package control_test

import (
	"net/http"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

// exiting simulates drivers whose process terminates in Exit: nothing more is
// written to the connection.
type exiting struct{ *drivers }

func (d exiting) Exit() {
	d.drivers.Exit()
	panic(http.ErrAbortHandler)
}

// Guards that the client of an exit request receives a success instead of a
// broken connection.
func TestExitRespondsBeforeItExits(t *testing.T) {
	g := NewWithT(t)
	d := &drivers{}
	address, _ := serve(t, exiting{d})
	client := control.NewClient(fakeapi.NewPodProxy(t, "drivers", "pod-1", control.Port, address), "drivers", "pod-1", token)
	g.Expect(client.Exit(t.Context())).To(Succeed())
	g.Eventually(d.last, "1m", "1ms").Should(Equal([]any{"exit"}))
}
