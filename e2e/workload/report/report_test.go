// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/workload/report"
	"github.com/draconform/draconform/fakedriver/devenv"
)

func device(t *testing.T, name string) (devenv.Device, string) {
	t.Helper()
	d := devenv.Device{Driver: "d", Pool: "p", Device: name, Request: "r", ClaimUID: "u"}
	variable, err := d.Variable()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return d, variable
}

func TestNew(t *testing.T) {
	g := NewWithT(t)
	first, firstVariable := device(t, "a")
	second, secondVariable := device(t, "b")
	got := report.New([]string{
		secondVariable, "POD_NAME=pod-1", "NODE_NAME=node-1", firstVariable, "UNASKED=1",
	}, report.Request{})
	g.Expect(got).To(Equal(report.Report{
		Kind: "Devices", Pod: "pod-1", Node: "node-1", Devices: []devenv.Device{first, second},
	}))
}

func TestNoDevicesAreAnEmptyList(t *testing.T) {
	g := NewWithT(t)
	encoded, err := json.Marshal(report.New(nil, report.Request{}))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(encoded)).To(Equal(`{"kind":"Devices","devices":[]}`))
}

func TestMalformedVariablesAreReported(t *testing.T) {
	g := NewWithT(t)
	good, variable := device(t, "a")
	got := report.New([]string{"DRACONFORM_DEVICE_X=nonsense", variable}, report.Request{})
	g.Expect(got.Devices).To(Equal([]devenv.Device{good}))
	g.Expect(got.Errors).To(HaveExactElements(ContainSubstring("DRACONFORM_DEVICE_X")))
}

func TestOtherDrivers(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	for _, name := range []string{"gpu1", "gpu0", "other"} {
		g.Expect(os.WriteFile(filepath.Join(dir, name), nil, 0o600)).To(Succeed())
	}
	got := report.New([]string{"VISIBLE=0,1", "EMPTY=", "UNASKED=1"}, report.Request{
		Env:   []string{"VISIBLE", "EMPTY", "UNSET"},
		Paths: []string{filepath.Join(dir, "gpu*"), filepath.Join(dir, "gpu0"), filepath.Join(dir, "none*"), "[-"},
	})
	g.Expect(got.Env).To(Equal(map[string]string{"VISIBLE": "0,1", "EMPTY": ""}))
	g.Expect(got.Paths).To(Equal([]string{filepath.Join(dir, "gpu0"), filepath.Join(dir, "gpu1")}))
	g.Expect(got.Errors).To(HaveExactElements(ContainSubstring(`match path "[-"`)))
}
