// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// Newer API servers may have kinds of selectors, constraints and attributes that the
// auditor does not know, and releases may differ. Neither is a fault.
func TestAuditorAcceptsWhatItCannotJudge(t *testing.T) {
	// parents returns the history of a claim for two devices with these attributes.
	parents := func(parent resourceapi.DeviceAttribute, constraint resourceapi.DeviceConstraint) *history {
		with := func(d *resourceapi.Device) {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"parent": parent}
		}
		h := newHistory(local(device("a", with), device("b", with)))
		h.Classes[0].Spec.Selectors = nil // No expression can be evaluated for attributes of an unknown kind.
		h.settle()
		c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
		c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{constraint}
		h.allocate(c)
		return h
	}
	for name, build := range map[string]func() *history{
		"a selector of an unknown kind": func() *history {
			h := newHistory(local(device("a")))
			c := one("x", result("n1", "a"))
			c.Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{{}}
			h.allocate(c)
			return h
		},
		"a constraint of an unknown kind": func() *history {
			return parents(resourceapi.DeviceAttribute{StringValue: ptr.To("p")}, resourceapi.DeviceConstraint{})
		},
		"attributes of an unknown kind that must match":  func() *history { return parents(resourceapi.DeviceAttribute{}, sameParent()) },
		"attributes of an unknown kind that must differ": func() *history { return parents(resourceapi.DeviceAttribute{}, distinctParent()) },
		"a selector of lists": func() *history {
			h := newHistory(local(device("a", func(d *resourceapi.Device) {
				d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"parent": {StringValues: []string{"p", "q"}}}
			})))
			h.allocate(asking("x", requests{request("request", 1, `device.attributes["gpu.example.com"].parent.includes("q")`)}, result("n1", "a")))
			return h
		},
		"an amount that releases round differently": func() *history {
			policy := &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("500m")), ValidRange: &resourceapi.CapacityRequestPolicyRange{
				Min: ptr.To(resource.MustParse("500m")), Step: ptr.To(resource.MustParse("1")),
			}}
			h := newHistory(local(device("a", shared, capacity("12", policy))))
			h.allocate(asking("x", requests{wants("1")}, result("n1", "a", share("1", "1"))))
			return h
		},
		// Up to Kubernetes 1.36, only devices with enough capacity match such a request.
		"all devices with a capacity": func() *history {
			h := newHistory(local(device("a", capacity("8", nil)), device("b")))
			r := all("request")
			r.Exactly.Capacity = wants("8").Exactly.Capacity
			h.allocate(asking("x", requests{r}, result("n1", "a")))
			return h
		},
		"a class that no view has": func() *history {
			h := newHistory(local(device("a"), device("b")))
			h.Classes = nil
			h.settle()
			c := asking("x", requests{all("request")}, result("n1", "a"))
			c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{states(`{}`)}
			h.allocate(c)
			return h
		},
		"a capacity of a device for admin access": func() *history {
			h := newHistory(local(device("a", shared, capacity("8", nil))))
			h.Namespaces[0].Labels = map[string]string{"resource.kubernetes.io/admin-access": "true"}
			h.allocate(asking("x", requests{admin()}, result("n1", "a", forAdmin)))
			return h
		},
		"a pod on a node that no view has": func() *history {
			h, _ := running("n3")
			h.read()
			return h
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(build().alarms(t.Context(), audit.Config{})).To(BeEmpty())
		})
	}
}
