// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
)

// minimalFile is the shortest driver file: it only says how to request a device.
const minimalFile = `apiVersion: draconform.dev/v1alpha1
kind: Driver
name: mig.example.com
roles:
  exclusive:
    device: {class: mig.example.com}
`

// smokeSpecs are the smoke specs of a driver of which only a minimal file is
// known, in a cluster without optional features.
var smokeSpecs = []string{
	"exclusive-is-prepared-and-released", "request-for-two-devices-is-prepared", "ended-pod-is-unprepared", "slices-are-valid", "pools-are-complete",
}

// selectSmoke changes a run to one with the label smoke, of the driver of a file.
func selectSmoke(file string) func(context.Context, *suite.Options) context.Context {
	return func(ctx context.Context, o *suite.Options) context.Context {
		o.Specs, o.Selection, o.Subject = specs.All(), suite.Selection{Labels: "smoke"}, described(file)
		o.Found = features.Set{features.Core: {Present: true}}
		return ctx
	}
}

// smokeOfAVendor is the first run of a vendor.
const smokeOfAVendor = "smoke specs of a minimal driver file"

var smokeCase = suiterun.Case{
	Guest: &guest.Config{Namespace: "draconform-own"}, Change: selectSmoke(minimalFile),
	// The reaction of each component is that of a cluster on one machine.
	Cluster: fakecluster.Options{GPUs: 4, WithoutPartitions: true, Lag: 200 * time.Millisecond},
}

// A vendor sees within a minute whether it makes sense to run the other specs.
func TestSmokeSpecsOfAMinimalFile(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	outcome := suiterun.Run(t, smokeOfAVendor)
	g.Expect(outcome.Err).To(BeEmpty())
	var passed []string
	for _, r := range outcome.Results {
		g.Expect(r.Outcome).NotTo(Equal(suite.Failed), "%s: %s", r.ID, r.Reason)
		if r.Outcome == suite.Passed {
			passed = append(passed, r.ID)
		}
	}
	g.Expect(passed).To(ConsistOf(smokeSpecs))
	g.Expect(outcome.Duration).To(BeNumerically("<", time.Minute))
}

// More of a driver file and more features of a cluster only add smoke specs.
func TestSmokeSpecsOfMoreThanAMinimalFile(t *testing.T) {
	g := NewWithT(t)
	found := features.Set{}
	for _, f := range features.All() {
		found[f] = features.Presence{Present: true}
	}
	g.Expect(found).NotTo(BeEmpty())
	for name, test := range map[string]struct {
		file string
		more []string
	}{
		"all features":        {minimalFile, []string{"slice-fields-are-kept"}},
		"devices are present": {minimalFile + "containers: [{deviceNodes: {path: /dev/gpu}, presence: true}]\n", []string{"slice-fields-are-kept", "init-containers-see-devices"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			selected, err := suite.Selection{Labels: "smoke"}.Select(specs.All())
			g.Expect(err).NotTo(HaveOccurred())
			var runnable []string
			for _, r := range suite.DryRun(selected, env.Target{Found: found, Release: "v1.37.1", Workers: 1, Subject: described(test.file)}) {
				if r.Outcome == "" {
					runnable = append(runnable, r.Spec.ID)
				}
			}
			g.Expect(runnable).To(ConsistOf(append(test.more, smokeSpecs...)))
		})
	}
}
