// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// classChangedConfiguresAnew changes the configuration of a DeviceClass in place,
// while a claim of this class is allocated, and then allocates others.
var classChangedConfiguresAnew = suite.Spec{
	ID:           "class-changed-configures-anew",
	Description:  "When the configuration of a DeviceClass is changed, the next allocations have the new configuration. Existing allocations keep theirs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-configuration-as-it-is"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		ofClass := fixture.One(sim.CreateDeviceClass(ctx, "configured", "true"))
		configure := func(mode string) {
			claims.UpdateDeviceClass(ctx, e, ofClass[0].Device.Class, func(spec *resourceapi.DeviceClassSpec) {
				spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: configuration(sim.Driver, mode)}}
			})
		}
		next := 0
		// A scheduler may observe a class later than the pods that are created
		// afterwards.
		expectConfigured := func(mode string) (pod string) {
			gomega.Eventually(ctx, func(ctx context.Context) []string {
				if pod != "" {
					pods.DeleteWithClaim(ctx, e, pod)
				}
				pod = fmt.Sprintf("%s-%d", mode, next)
				next++
				pods.CreateWithRequests(ctx, e, pod, ofClass)
				pods.WaitForScheduled(ctx, e, pod)
				return modesOf(ctx, e, pod)
			}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Equal([]string{mode}), "a claim should be allocated with the configuration of its class, which has the mode %s", mode)
			return pod
		}
		configure("slow")
		before := expectConfigured("slow")
		configure("fast")
		expectConfigured("fast")
		gomega.Expect(modesOf(ctx, e, before)).To(gomega.Equal([]string{"slow"}), "an allocation keeps the configuration with which it was made")
	},
}

// configuration returns parameters for a driver that have a mode.
func configuration(driver, mode string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: driver, Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"mode":%q}`, mode)},
	}}
}

// modesOf returns the modes in the configuration of an allocated claim.
func modesOf(ctx context.Context, e *env.Env, claim string) []string {
	ginkgo.GinkgoHelper()
	var modes []string
	for _, config := range claims.GetAllocation(ctx, e, claim).Config {
		var parameters struct{ Mode string }
		gomega.Expect(config.Opaque).NotTo(gomega.BeNil())
		gomega.Expect(json.Unmarshal(config.Opaque.Parameters.Raw, &parameters)).To(gomega.Succeed())
		modes = append(modes, parameters.Mode)
	}
	return modes
}
