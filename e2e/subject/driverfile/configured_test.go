// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/workload/report"
)

// A container without the configuration must not seem to have it, and the message about it
// needs what it has instead.
func TestSeesConfigured(t *testing.T) {
	const (
		variables = "environment: {name: 'SHARING_\\d+', value: time}"
		nodes     = "deviceNodes: {path: /dev/shared}"
	)
	for name, test := range map[string]struct {
		seen    string
		report  report.Report
		want    bool
		instead []string
		err     string
	}{
		"a variable with the value":          {seen: variables, report: report.Report{Env: map[string]string{"SHARING_0": "time"}}, want: true},
		"a variable with another value":      {seen: variables, report: report.Report{Env: map[string]string{"SHARING_0": "space"}}, instead: []string{`variable SHARING_0 has the value "space", which the driver file does not describe`}},
		"no variable":                        {seen: variables, report: report.Report{Env: map[string]string{"SHARING": "time"}}},
		"a device node":                      {seen: nodes, report: report.Report{DeviceNodes: []string{"/dev/null", "/dev/shared"}}, want: true},
		"another device node":                {seen: nodes, report: report.Report{DeviceNodes: []string{"/dev/null"}}},
		"device nodes that cannot be listed": {seen: nodes, report: report.Report{Errors: map[string]string{"deviceNodes": "denied"}}, err: "could not read what shows the configuration of its devices: [denied]"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			d := driver(t, "roles:\n  exclusive:\n    device: {class: gpu}\n    configured:\n      config: {parameters: {mode: time}}\n      seen: {"+test.seen+"}")
			configured, instead, err := d.SeesConfigured(test.report)
			if test.err != "" {
				g.Expect(err).To(MatchError(ContainSubstring(test.err)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(configured).To(Equal(test.want))
			g.Expect(instead).To(Equal(test.instead))
		})
	}
}
