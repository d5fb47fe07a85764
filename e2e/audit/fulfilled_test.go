// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// small selects small devices.
const small = `device.attributes["gpu.example.com"].kind == "small"`

func request(name string, count int64, expressions ...string) resourceapi.DeviceRequest {
	return resourceapi.DeviceRequest{Name: name, Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "gpu", Count: count, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Selectors: selectors(expressions...),
	}}
}

// alternatives returns one request with the given requests as subrequests.
func alternatives(all ...resourceapi.DeviceRequest) resourceapi.DeviceRequest {
	r := resourceapi.DeviceRequest{Name: "request"}
	for _, a := range all {
		r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{
			Name: a.Name, DeviceClassName: a.Exactly.DeviceClassName, Selectors: a.Exactly.Selectors, AllocationMode: a.Exactly.AllocationMode, Count: a.Exactly.Count,
		})
	}
	return r
}

func sameParent(requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{MatchAttribute: ptr.To[resourceapi.FullyQualifiedName](driver + "/parent"), Requests: requests}
}

func TestUnfulfilled(t *testing.T) {
	inventory := audit.NewInventory([]resourceapi.ResourceSlice{slice("n1", makeDevices(
		device("a", attribute("kind", "small"), attribute("parent", "p")),
		device("b", attribute("kind", "big"), attribute(driver+"/parent", "p")),
		device("c", attribute("kind", "small"), attribute("parent", "q")),
		device("bare"),
	))})
	for name, test := range map[string]struct {
		requests    []resourceapi.DeviceRequest
		constraints []resourceapi.DeviceConstraint
		results     []resourceapi.DeviceRequestAllocationResult
		want        []string
	}{
		"what was asked for": {
			requests: []resourceapi.DeviceRequest{request("request", 2, small, `device.driver == "gpu.example.com"`)},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "c")},
		},
		"a count that was not defaulted is one": {
			requests: []resourceapi.DeviceRequest{request("request", 0)},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "a")},
		},
		"a device too few, and one too many": {
			requests: []resourceapi.DeviceRequest{request("request", 1), request("second", 1)},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "b")},
			want:     []string{"request request has 2 devices, not 1", "request second has 0 devices, not 1"},
		},
		"all devices, however many": {
			requests: []resourceapi.DeviceRequest{{Name: "request", Exactly: &resourceapi.ExactDeviceRequest{AllocationMode: resourceapi.DeviceAllocationModeAll}}},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "b")},
		},
		"a device that the selector does not accept": {
			requests: []resourceapi.DeviceRequest{request("request", 1, small)},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "b")},
			want:     []string{"request request has device gpu.example.com/n1/b, which its selector does not accept: " + small},
		},
		"a device that the selector fails on": {
			requests: []resourceapi.DeviceRequest{request("request", 1, small)},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "bare")},
			want:     []string{"selector of request request on device gpu.example.com/n1/bare: no such key: kind"},
		},
		"a device of another request": {
			requests: []resourceapi.DeviceRequest{request("request", 1, small), request("second", 1)},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "b", toRequest("second"))},
		},
		"a device that has left its pool": {
			requests: []resourceapi.DeviceRequest{request("request", 1, small)}, constraints: []resourceapi.DeviceConstraint{sameParent()},
			results: []resourceapi.DeviceRequestAllocationResult{result("n1", "gone")},
		},
		"devices of one parent": {
			requests: []resourceapi.DeviceRequest{request("request", 2)}, constraints: []resourceapi.DeviceConstraint{sameParent()},
			results: []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "b")},
		},
		"devices of two parents": {
			requests: []resourceapi.DeviceRequest{request("request", 2)}, constraints: []resourceapi.DeviceConstraint{sameParent()},
			results: []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "c")},
			want:    []string{"devices gpu.example.com/n1/a and gpu.example.com/n1/c differ in the attribute gpu.example.com/parent, which must match"},
		},
		"a device without the attribute": {
			requests: []resourceapi.DeviceRequest{request("request", 2)}, constraints: []resourceapi.DeviceConstraint{sameParent()},
			results: []resourceapi.DeviceRequestAllocationResult{result("n1", "bare"), result("n1", "c")},
			want:    []string{"device gpu.example.com/n1/bare lacks the attribute gpu.example.com/parent, which must match"},
		},
		"a constraint of other requests": {
			requests:    []resourceapi.DeviceRequest{request("request", 1), request("second", 1)},
			constraints: []resourceapi.DeviceConstraint{sameParent("second")},
			results:     []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "c", toRequest("second"))},
		},
		"the first of several alternatives": {
			requests:    []resourceapi.DeviceRequest{{Name: "request", FirstAvailable: []resourceapi.DeviceSubRequest{{Name: "big"}, {Name: "small"}}}, request("second", 1)},
			constraints: []resourceapi.DeviceConstraint{sameParent("request", "second")},
			results:     []resourceapi.DeviceRequestAllocationResult{result("n1", "a", toRequest("request/small")), result("n1", "c", toRequest("second"))},
			want:        []string{"devices gpu.example.com/n1/a and gpu.example.com/n1/c differ in the attribute gpu.example.com/parent, which must match"},
		},
		"an alternative with all its devices": {
			requests: []resourceapi.DeviceRequest{alternatives(request("big", 3), request("small", 2, small))},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "a", toRequest("request/small")), result("n1", "c", toRequest("request/small"))},
		},
		"an alternative with a device too few, and one that its selector does not accept": {
			requests: []resourceapi.DeviceRequest{alternatives(request("big", 1), request("small", 2, small))},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "b", toRequest("request/small"))},
			want: []string{
				"request request/small has 1 devices, not 2",
				"request request/small has device gpu.example.com/n1/b, which its selector does not accept: " + small,
			},
		},
		"two alternatives at once": {
			requests: []resourceapi.DeviceRequest{alternatives(request("big", 1), request("small", 1))},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "b", toRequest("request/big")), result("n1", "a", toRequest("request/small"))},
			want:     []string{"request request has devices for several of its alternatives: request/big and request/small"},
		},
		"no alternative": {
			requests: []resourceapi.DeviceRequest{alternatives(request("big", 1), request("small", 1))},
			want:     []string{"request request has no devices for any of its alternatives"},
		},
		"devices of no alternative in particular": {
			requests: []resourceapi.DeviceRequest{alternatives(request("big", 1))},
			results:  []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "b")},
			want:     []string{"request request/big has 0 devices, not 1", "device gpu.example.com/n1/a is for request request, which the claim does not have"},
		},
		"a constraint of an alternative that was not taken": {
			requests:    []resourceapi.DeviceRequest{alternatives(request("big", 1), request("small", 1)), request("second", 1)},
			constraints: []resourceapi.DeviceConstraint{sameParent("request/big", "second")},
			results:     []resourceapi.DeviceRequestAllocationResult{result("n1", "a", toRequest("request/small")), result("n1", "c", toRequest("second"))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := claim("x", test.results...)
			c.Spec.Devices = resourceapi.DeviceClaim{Requests: test.requests, Constraints: test.constraints}
			NewWithT(t).Expect(inventory.Unfulfilled(t.Context(), &c)).To(Equal(test.want))
		})
	}
}

func TestUnfulfilledOfAClaimThatIsNotAllocated(t *testing.T) {
	c := resourceapi.ResourceClaim{Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
		Requests: []resourceapi.DeviceRequest{request("request", 1)}, Constraints: []resourceapi.DeviceConstraint{sameParent()},
	}}}
	NewWithT(t).Expect(audit.NewInventory(nil).Unfulfilled(t.Context(), &c)).To(Equal([]string{"request request has 0 devices, not 1"}))
}
