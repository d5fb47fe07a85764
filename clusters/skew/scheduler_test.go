// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package skew

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
)

func TestCheckScheduler(t *testing.T) {
	const known = "use kube-scheduler or draconform"
	for name, test := range map[string]struct {
		scheduler, release, gates string
		want                      string
	}{
		"any release, its own":         {scheduler: "kube-scheduler", release: "1.34", gates: "alpha"},
		"the release it is built from": {scheduler: "draconform", release: "1.37", gates: "alpha"},
		"an older release":             {scheduler: "draconform", release: "1.34", gates: "default"},
		"an older one, without DRA":    {scheduler: "draconform", release: "1.34", gates: "off"},
		"alpha APIs of an older release": {
			"draconform", "1.36", "alpha", "scheduler draconform is built from Kubernetes 1.37 and cannot schedule for 1.36 with the feature gates " +
				"DRADeviceTaintRules, GenericWorkload: it does not know their APIs as 1.36 serves them; disable them or use kube-scheduler",
		},
		"its own in a legacy release": {scheduler: "kube-scheduler", release: "1.31", gates: "alpha"},
		"a legacy release": {
			"draconform", "1.31", "default", "scheduler draconform cannot schedule for the legacy release 1.31: it does not know its version of the DRA API " +
				"and cannot wait for control plane controllers of drivers, as classic DRA needs; use kube-scheduler",
		},
		"one that is not known": {"mine", "1.37", "default", `scheduler "mine" is not known, ` + known},
		"none":                  {"", "1.37", "default", `scheduler "" is not known, ` + known},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			release, err := clusters.FindRelease(test.release)
			g.Expect(err).NotTo(HaveOccurred())
			set, err := gates.Parse(test.gates, release)
			g.Expect(err).NotTo(HaveOccurred())
			if err = CheckScheduler(test.scheduler, release, set); test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(test.want))
			}
		})
	}
}

func TestCheckSchedulerRejectsANewerRelease(t *testing.T) {
	newer := clusters.Release{Minor: "1.38", Version: "1.38.0"}
	NewWithT(t).Expect(CheckScheduler(DraconformScheduler, newer, gates.Set{})).To(MatchError(
		"scheduler draconform is built from Kubernetes 1.37 and cannot schedule for the newer 1.38: use kube-scheduler"))
}
