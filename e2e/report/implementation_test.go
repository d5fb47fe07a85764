// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

func TestImplementations(t *testing.T) {
	g := NewWithT(t)
	drivers, err := driverfile.Decode("", []byte(`apiVersion: draconform.dev/v1alpha1
kind: Driver
name: gpu.example.com
mode: time-slicing
implementation: {organization: Example, project: gpu-driver, url: https://example.com, version: v1.2.3, contact: ["@a", "@b"]}
---
apiVersion: draconform.dev/v1alpha1
kind: Driver
name: nic.example.com
`))
	g.Expect(err).NotTo(HaveOccurred())
	all := report.Implementations(drivers)
	g.Expect(all).To(Equal([]report.Implementation{
		{Driver: "gpu.example.com", Mode: "time-slicing", Organization: "Example", Project: "gpu-driver", URL: "https://example.com", Version: "v1.2.3", Contact: []string{"@a", "@b"}},
		{Driver: "nic.example.com", Mode: "default"},
	}))
	g.Expect(all[0].String()).To(Equal("gpu.example.com: Example gpu-driver v1.2.3, mode time-slicing"))
	g.Expect(all[1].String()).To(Equal("nic.example.com, mode default"))
}
