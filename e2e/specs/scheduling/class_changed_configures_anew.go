// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// classChangedConfiguresAnew changes the configuration of a DeviceClass in place,
// while a claim with two requests for this class is allocated, and then allocates others.
var classChangedConfiguresAnew = suite.Spec{
	ID:           "class-changed-configures-anew",
	Description:  "When the configuration of a DeviceClass is changed, the next allocations have the new configuration, once for each request. Existing allocations keep theirs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-configuration-as-it-is"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "disk-0", "disk-1"))
		class := sim.CreateDeviceClass(ctx, "configured", "true")
		configure := func(mode string) {
			claims.UpdateDeviceClass(ctx, e, class.Class, func(spec *resourceapi.DeviceClassSpec) {
				spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: configuration(sim.Driver, mode)}}
			})
			expectConfigured(ctx, e, mode, []devices.Request{{Name: "first", Device: class}, {Name: "second", Device: class}})
		}
		configure("slow")
		configure("fast")
		for _, request := range []string{"first", "second"} {
			gomega.Expect(modesOf(ctx, e, "slow", request)).To(gomega.Equal([]string{"slow"}), "an allocation keeps the configuration with which it was made")
		}
	},
}

// expectConfigured creates a pod with a claim until the claim is allocated with the
// configuration of its class, which has a mode. A scheduler may observe a class later
// than the pods that are created afterwards. The mode is the name of the pod.
func expectConfigured(ctx context.Context, e *env.Env, mode string, requests []devices.Request) {
	ginkgo.GinkgoHelper()
	exists := false
	gomega.Eventually(ctx, func(ctx context.Context) map[string][]string {
		if exists {
			pods.DeleteWithClaim(ctx, e, mode)
		}
		pods.CreateWithRequests(ctx, e, mode, requests)
		pods.WaitForScheduled(ctx, e, mode)
		exists = true
		modes := map[string][]string{}
		for _, request := range requests {
			modes[request.Name] = modesOf(ctx, e, mode, request.Name)
		}
		return modes
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.HaveEach([]string{mode}), "each request of a claim should be configured once by its class, which has the mode %s", mode)
}

// serial is a number that is no floating-point number of 64 bits.
const serial = 9007199254740993

// configuration returns parameters for a driver that have a mode.
func configuration(driver, mode string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: driver, Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"mode":%q,"serial":%d}`, mode, serial)},
	}}
}

// modesOf returns the modes in the configuration of a request of an allocated claim.
func modesOf(ctx context.Context, e *env.Env, claim, request string) []string {
	ginkgo.GinkgoHelper()
	var modes []string
	for _, config := range claims.GetAllocation(ctx, e, claim).Config {
		if len(config.Requests) > 0 && !slices.Contains(config.Requests, request) {
			continue
		}
		var parameters struct {
			Mode   string
			Serial json.Number
		}
		gomega.Expect(config.Opaque).NotTo(gomega.BeNil())
		gomega.Expect(json.Unmarshal(config.Opaque.Parameters.Raw, &parameters)).To(gomega.Succeed())
		gomega.Expect(parameters.Serial.String()).To(gomega.Equal(strconv.Itoa(serial)), "the parameters for request %s of claim %s should be those of the DeviceClass or the claim", request, claim)
		modes = append(modes, parameters.Mode)
	}
	return modes
}
