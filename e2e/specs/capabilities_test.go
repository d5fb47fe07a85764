// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"context"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/guest"
)

// foundOut are the capabilities that a driver has for all devices or for none.
var foundOut = []subject.Capability{subject.DeviceMetadata, subject.Health, subject.DeviceStatus}

// withoutCapabilities is a driver that has none of them, and whose file says
// nothing about them.
const withoutCapabilities = "a driver without optional capabilities"

// waitForCapability is how long specs look for a capability.
const waitForCapability = 3 * time.Second

var withoutCapabilitiesCase = suiterun.Case{
	Guest:   &guest.Config{Namespace: "draconform-own"},
	Cluster: fakecluster.Options{GPUs: 4, WithoutPartitions: true, WithoutHealth: true, WithoutStatus: true, WithoutMetadata: true},
	Change: func(ctx context.Context, o *suite.Options) context.Context {
		o.Specs, o.Subject, o.Timeouts.Response = specsOfCapabilities(), described(minimalFile), waitForCapability
		return ctx
	},
}

// specsOfCapabilities returns the specs that find out about capabilities.
func specsOfCapabilities() []suite.Spec {
	return slices.DeleteFunc(specs.All(), func(s suite.Spec) bool {
		return !slices.ContainsFunc(s.Capabilities, func(c subject.Capability) bool { return slices.Contains(foundOut, c) })
	})
}

// Of a driver without the capability, only the first of its specs has to wait. A
// pod that shows neither health nor status for as long as specs wait shows that
// both are missing.
func TestCapabilitiesAreLookedForOnce(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	outcome := suiterun.Run(t, withoutCapabilities)
	g.Expect(outcome.Err).To(BeEmpty())
	// These specs also lack a second driver, or a control endpoint of the driver.
	lackMore := map[string]bool{}
	for _, s := range specsOfCapabilities() {
		lackMore[s.ID] = len(s.Needs) > 0 || slices.Contains(s.Kinds, subject.KindShared)
	}
	var looked []string
	for _, r := range outcome.Results {
		g.Expect(r.Outcome).To(Equal(suite.NotApplicable), "%s: %s", r.ID, r.Reason)
		if len(r.Steps) > 0 {
			looked = append(looked, r.ID)
			continue
		}
		if !lackMore[r.ID] {
			g.Expect(r.Reason).To(And(HavePrefix("needs capabilities."), HaveSuffix(", as an earlier spec found out")), r.ID)
		}
	}
	g.Expect(looked).To(ConsistOf("metadata-names-allocated-devices", "health-is-reported"))
	g.Expect(outcome.Duration).To(BeNumerically("<", 2*waitForCapability))
}
