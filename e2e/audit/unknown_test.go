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

// expectNotJudged expects that histories raise no alarm. Newer API servers may have kinds
// of selectors, constraints and attributes that the auditor does not know, and releases may
// differ. Neither is a fault.
func expectNotJudged(t *testing.T, cases map[string]func() *history) {
	t.Helper()
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(build().alarms(t.Context(), audit.Config{})).To(BeEmpty())
		})
	}
}

func TestAuditorAcceptsUnknownRequests(t *testing.T) {
	expectNotJudged(t, map[string]func() *history{
		"a selector of an unknown kind": func() *history {
			h := newHistory(local(device("a")))
			c := one("x", result("n1", "a"))
			c.Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{{}}
			h.allocate(c)
			return h
		},
		"a selector in a newer language": func() *history {
			h := newHistory(local(device("a")))
			h.allocate(asking("x", requests{request("request", 1, newer)}, result("n1", "a")))
			return h
		},
		"a selector of lists": func() *history {
			h := newHistory(local(device("a", func(d *resourceapi.Device) {
				d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"parent": {StringValues: []string{"p", "q"}}}
			})))
			h.allocate(asking("x", requests{request("request", 1, `device.attributes["gpu.example.com"].parent.includes("q")`)}, result("n1", "a")))
			return h
		},
		"a constraint of an unknown kind": func() *history {
			return parents(resourceapi.DeviceAttribute{StringValue: ptr.To("p")}, resourceapi.DeviceConstraint{})
		},
		"a derived attribute in a newer language": func() *history {
			h := newHistory(local(device("a", attribute("parent", "p")), device("b", attribute("parent", "q"))))
			c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
			c.Spec.Devices.Requests[0].Exactly.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: driver + "/parent", Expression: newer}}
			c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{sameParent()}
			h.allocate(c)
			return h
		},
		"attributes of an unknown kind that must match":  func() *history { return parents(resourceapi.DeviceAttribute{}, sameParent()) },
		"attributes of an unknown kind that must differ": func() *history { return parents(resourceapi.DeviceAttribute{}, distinctParent()) },
		"a request of an unknown kind": func() *history {
			h := newHistory(local(device("a", taint(resourceapi.DeviceTaintEffectNoSchedule)), device("b"), device("c", attribute("parent", "p"))))
			c := asking("x", requests{{Name: "new"}, {Name: "newer"}}, result("n1", "a", toRequest("new")), result("n1", "b", toRequest("newer/part")), result("n1", "c", toRequest("newer/part")))
			c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{sameParent()}
			h.allocate(c)
			return h
		},
		"an unknown allocation mode": func() *history {
			h := newHistory(local(device("a"), device("b")))
			r := request("request", 1)
			r.Exactly.AllocationMode = "AtLeast"
			h.allocate(asking("x", requests{r}, result("n1", "a"), result("n1", "b")))
			return h
		},
		"an unknown operator of a toleration": func() *history { return tolerating("broken") },
	})
}

func TestAuditorAcceptsAllDevicesIfItCannotSelectThem(t *testing.T) {
	expectNotJudged(t, map[string]func() *history{
		"all devices, as selected by an unknown kind of selector": func() *history {
			h := newHistory(local(device("a"), device("b")))
			r := all()
			r.Exactly.Selectors = []resourceapi.DeviceSelector{{}}
			h.allocate(asking("x", requests{r}, result("n1", "a")))
			return h
		},
		"all devices, one of which has an attribute of an unknown kind": func() *history {
			h := newHistory(local(device("a"), device("b", unknownAttribute)))
			h.allocate(asking("x", requests{all()}, result("n1", "a")))
			return h
		},
		// Up to Kubernetes 1.36, only devices with enough capacity match such a request.
		"all devices with a capacity": func() *history {
			h := newHistory(local(device("a", capacity("8", nil)), device("b")))
			r := all()
			r.Exactly.Capacity = wants("8").Exactly.Capacity
			h.allocate(asking("x", requests{r}, result("n1", "a")))
			return h
		},
		"a class that no view has": func() *history {
			h := newHistory(local(device("a"), device("b")))
			h.Classes = nil
			h.settle()
			c := asking("x", requests{all()}, result("n1", "a"))
			c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{states(`{}`)}
			h.allocate(c)
			return h
		},
	})
}

func TestAuditorAcceptsUnknownAmounts(t *testing.T) {
	expectNotJudged(t, map[string]func() *history{
		"a request policy of an unknown kind": func() *history { return rounding("4") },
		"counters of an unknown kind": func() *history {
			h := newHistory(
				slice("n1", onNode("n1"), inPoolOf(2), makeDevices(device("a", consumes("gpu", values{"memory": "1"})))),
				slice("n1", onNode("n1"), inPoolOf(2), set("gpu", nil)),
			)
			h.allocate(one("x", result("n1", "a")))
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
		"a capacity of a device for admin access": func() *history {
			h := newHistory(local(device("a", shared, capacity("8", nil))))
			h.Namespaces[0].Labels = map[string]string{"resource.kubernetes.io/admin-access": "true"}
			h.allocate(asking("x", requests{admin()}, result("n1", "a", forAdmin)))
			return h
		},
	})
}

func TestAuditorAcceptsUnknownNodes(t *testing.T) {
	expectNotJudged(t, map[string]func() *history{
		"devices on nodes of an unknown kind": func() *history {
			h := newHistory(slice("n1", makeDevices(device("a"))))
			h.allocate(one("x", result("n1", "a")))
			return h
		},
		"an unknown operator in the node selector of a slice": func() *history {
			h := newHistory(slice("n1", func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = resembling() }, makeDevices(device("a"))))
			h.allocate(one("x", result("n1", "a")))
			return h
		},
		"an unknown operator in the node selector of an allocation": func() *history {
			h := newHistory(local(device("a")))
			c := one("x", result("n1", "a"))
			c.Status.Allocation.NodeSelector = resembling()
			reserve(h.allocate(c), "pod")
			h.start("n1")
			h.read()
			h.read()
			return h
		},
		"a pool with more slices than it should have": func() *history {
			h := newHistory(
				slice("pool", onNode("n1"), inPoolOf(1), makeDevices(device("a"))),
				slice("pool", onNode("n2"), inPoolOf(1), makeDevices(device("b"))),
			)
			h.allocate(one("x", result("pool", "a")))
			return h
		},
		"a pod on a node that no view has": func() *history {
			h, _ := running("n3")
			h.read()
			return h
		},
	})
}

// What is unknown excuses nothing else.
func TestAuditorJudgesWhatIsBesideTheUnknown(t *testing.T) {
	for name, test := range map[string]struct {
		build func() *history
		want  audit.Rule
	}{
		"a request beside one of an unknown kind": {func() *history {
			h := newHistory(local(device("a"), device("b")))
			h.allocate(asking("x", requests{{Name: "new"}, request("request", 2)}, result("n1", "a", toRequest("new")), result("n1", "b")))
			return h
		}, audit.RequestSatisfied},
		"a request that does not exist": {func() *history {
			h := newHistory(local(device("a")))
			h.allocate(asking("x", requests{{Name: "new"}}, result("n1", "a", toRequest("newer"))))
			return h
		}, audit.RequestSatisfied},
		"a selector beside one of an unknown kind": {func() *history {
			h := newHistory(local(device("a", attribute("kind", "big"))))
			r := request("request", 1, newer, small)
			r.Exactly.Selectors = append(r.Exactly.Selectors, resourceapi.DeviceSelector{})
			h.allocate(asking("x", requests{r}, result("n1", "a")))
			return h
		}, audit.SelectorAccepts},
		"a taint with another key than that of the toleration":  {func() *history { return tolerating("other") }, audit.TaintTolerated},
		"a policy that cannot have allowed less than requested": {func() *history { return rounding("2") }, audit.CapacityConsumed},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(test.build().alarms(t.Context(), audit.Config{})).To(ConsistOf(HaveField("Rule", test.want)))
		})
	}
}
