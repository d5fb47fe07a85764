// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// Unusual but correct behaviour raises no alarm.
func TestAuditorAcceptsWhatIsRight(t *testing.T) {
	for name, build := range map[string]func() (*history, audit.Config){
		"what was allocated before": func() (*history, audit.Config) {
			h := newHistory()
			h.views = nil
			h.put(one("x", result("n1", "gone")))
			h.read()
			h.read()
			return h, audit.Config{}
		},
		"a node of a pod from before the first view, which has other labels now": func() (*history, audit.Config) {
			h := newHistory(local(device("a")))
			h.views = nil
			c := h.put(one("x", result("n1", "a")))
			c.Status.Allocation.NodeSelector = hosts("0")
			reserve(c, "pod")
			h.start("n1")
			h.Nodes[0].Labels = nil
			for range 3 {
				h.read()
			}
			return h, audit.Config{}
		},
		"counters that shrink under devices": func() (*history, audit.Config) {
			h := newHistory(slice("n1", onNode("n1"), gpu, parts))
			h.allocate(one("x", result("n1", "whole")))
			h.offer(slice("n1", onNode("n1"), set("gpu", values{"memory": "1", "engines": "1"}), parts, makeDevices(device("free"))))
			h.settle()
			h.allocate(one("y", result("n1", "free")))
			return h, audit.Config{}
		},
		"one share more of a device whose counters shrank": func() (*history, audit.Config) {
			part := device("part", shared, consumes("gpu", values{"memory": "2"}))
			h := newHistory(slice("n1", onNode("n1"), set("gpu", values{"memory": "2"}), makeDevices(part)))
			h.allocate(one("x", result("n1", "part", share("1", ""))))
			h.offer(slice("n1", onNode("n1"), set("gpu", values{"memory": "1"}), makeDevices(part)))
			h.settle()
			h.allocate(one("y", result("n1", "part", share("2", ""))))
			return h, audit.Config{}
		},
		"compatibility groups that the scheduler does not know": func() (*history, audit.Config) {
			h := newHistory(divided(device("a", grouped("mig")), device("b", grouped("vgpu"))))
			h.allocate(one("x", result("n1", "a")))
			h.allocate(one("y", result("n1", "b")))
			return h, audit.Config{Scheduler: audit.Scheduler{IgnoresCompatibilityGroups: true}}
		},
		"compatibility groups that change under devices": func() (*history, audit.Config) {
			of := func(second string) resourceapi.ResourceSlice {
				return divided(device("a", grouped("mig")), device("b", grouped(second)), device("c", grouped("mig")))
			}
			h := newHistory(of("mig"))
			h.allocate(one("x", result("n1", "a")))
			h.allocate(one("y", result("n1", "b")))
			h.offer(of("vgpu"))
			h.settle()
			h.allocate(one("z", result("n1", "c")))
			return h, audit.Config{}
		},
		"an incomplete pool until Kubernetes 1.34": func() (*history, audit.Config) {
			h := newHistory(slice("n1", onNode("n1"), inPoolOf(2), makeDevices(device("a"))))
			h.allocate(one("x", result("n1", "a")))
			return h, audit.Config{Scheduler: audit.Scheduler{UsesIncompletePools: true}}
		},
		"another driver": func() (*history, audit.Config) {
			h := newHistory(local(device("a")))
			h.allocate(asking("x", requests{request("request", 2, small)}, result("n1", "a")))
			return h, audit.Config{Drivers: []string{"other.example.com"}}
		},
		"another driver's claim that a pod uses": func() (*history, audit.Config) {
			h, c := running("n1")
			h.read()
			h.read()
			was := *c
			h.Claims = nil // Earlier states contain no claims of other drivers.
			h.pass()
			h.put(was)
			h.read()
			return h, audit.Config{Drivers: []string{"other.example.com"}}
		},
		"another driver's pod that lost its devices": func() (*history, audit.Config) {
			h, c := running("n1")
			h.read()
			c.Status = resourceapi.ResourceClaimStatus{}
			h.read()
			return h, audit.Config{Drivers: []string{"other.example.com"}}
		},
		"sharing affinity that the scheduler does not know": func() (*history, audit.Config) {
			h := newHistory(demanding())
			h.allocate(one("x", result("n1", "a", share("1", ""))))
			return h, audit.Config{}
		},
		"admin access to a device that is allocated": func() (*history, audit.Config) {
			h := newHistory(local(device("a", capacity("4", nil))))
			h.Namespaces[0].Labels = map[string]string{"resource.k8s.io/admin-access": "true"} // Kubernetes 1.33.
			h.allocate(one("x", result("n1", "a")))
			h.allocate(asking("y", requests{admin()}, result("n1", "a", forAdmin)))
			return h, audit.Config{}
		},
		"a label for admin access that was taken away": func() (*history, audit.Config) {
			h := newHistory(local(device("a")))
			h.Namespaces[0].Labels = map[string]string{"resource.kubernetes.io/admin-access": "true"}
			h.read()
			h.Namespaces[0].Labels = nil
			h.allocate(asking("x", requests{admin()}, result("n1", "a", forAdmin)))
			return h, audit.Config{}
		},
		"a label for admin access that was taken away after the claim was created": func() (*history, audit.Config) {
			h := newHistory(local(device("a")))
			h.Namespaces[0].Labels = map[string]string{"resource.kubernetes.io/admin-access": "true"}
			h.allocate(asking("x", requests{admin()}, result("n1", "a", forAdmin)))
			h.Namespaces[0].Labels = nil
			h.read()
			h.read()
			return h, audit.Config{}
		},
		"a claim reserved for a group of pods": func() (*history, audit.Config) {
			h, c := running("n1")
			reserve(c, "group")
			c.Status.ReservedFor[0].Resource = "podgroups"
			h.read()
			return h, audit.Config{}
		},
		"a claim that is allocated anew before its pod has a node": func() (*history, audit.Config) {
			h := newHistory(local(device("a"), device("b")))
			c := h.allocate(one("x", result("n1", "a")))
			reserve(c, "pod")
			h.start("").Status.Phase = corev1.PodPending
			h.read()
			h.read()
			c.Status.Allocation.Devices.Results[0].Device = "b"
			h.Pods[0].Spec.NodeName = "n1"
			h.read()
			h.read()
			return h, audit.Config{}
		},
		"all devices of the node with fewer": func() (*history, audit.Config) {
			h := newHistory(
				slice("one", func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = hosts("0", "1") }, makeDevices(device("a"))),
				slice("two", func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = hosts("1") }, makeDevices(device("b"))),
			)
			c := asking("x", requests{all()}, result("one", "a"))
			c.Status.Allocation.NodeSelector = hosts("0", "1")
			h.allocate(c)
			return h, audit.Config{}
		},
		"a constraint on what requests derive": func() (*history, audit.Config) {
			h := newHistory(local(device("a"), device("b")))
			c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
			c.Spec.Devices.Requests[0].Exactly.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: driver + "/parent", Expression: `"p"`}}
			c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{sameParent()}
			h.allocate(c)
			return h, audit.Config{}
		},
		"an entry for another driver in addition to structured parameters": func() (*history, audit.Config) {
			h := newHistory(demanding())
			c := one("x", result("n1", "a", share("1", "")))
			other, kind := states(`{"net/subnet":{"string":"b"}}`), states(`{}`)
			other.Opaque.Driver, kind.Opaque.Parameters.Raw = driver, []byte(`{"apiVersion":"resource.k8s.io/v1alpha1","kind":"Other"}`)
			configure(&c, other, kind, states(`{"net/subnet":{"string":"a"}}`))
			h.allocate(c)
			return h, audit.Config{Scheduler: audit.Scheduler{SharingAffinity: true}}
		},
		"parameters that were written anew": func() (*history, audit.Config) {
			h := newHistory(local(device("a")))
			c := one("x", result("n1", "a"))
			written, stored := states(`{ "k/of": {"string": "<a>"}}`), states(`{"k/of":{"string":"\u003ca\u003e"}}`)
			configure(&c, written)
			c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{stored}
			h.allocate(c)
			return h, audit.Config{}
		},
		"lists with a value in common": func() (*history, audit.Config) {
			list := func(values ...string) func(*resourceapi.Device) {
				return func(d *resourceapi.Device) {
					d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"parent": {StringValues: values}}
				}
			}
			h := newHistory(local(device("a", list("p", "q")), device("b", list("q", "r")), device("c", attribute("parent", "q"))))
			c := asking("x", requests{request("request", 3)}, result("n1", "a"), result("n1", "b"), result("n1", "c"))
			c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{sameParent()}
			h.allocate(c)
			return h, audit.Config{}
		},
		"a toleration of everything": func() (*history, audit.Config) {
			h := newHistory(local(device("a", taint(resourceapi.DeviceTaintEffectNoExecute))))
			c := one("x", result("n1", "a"))
			c.Spec.Devices.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{Operator: resourceapi.DeviceTolerationOpExists}}
			c.Status.Allocation.Devices.Results[0].Tolerations = c.Spec.Devices.Requests[0].Exactly.Tolerations
			h.allocate(c)
			return h, audit.Config{}
		},
		"a claim that is away before its pod": func() (*history, audit.Config) {
			h, _ := running("n1")
			h.read()
			h.Pods[0].DeletionTimestamp = ptr.To(h.Pods[0].CreationTimestamp)
			h.read()
			h.Claims, h.Pods = nil, nil
			h.read()
			return h, audit.Config{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, config := build()
			NewWithT(t).Expect(h.alarms(t.Context(), config)).To(BeEmpty())
		})
	}
}

// A common value of each pair of lists is not enough. All lists must have a
// value in common.
func TestAuditorWantsOneValueInAllLists(t *testing.T) {
	list := func(values ...string) func(*resourceapi.Device) {
		return func(d *resourceapi.Device) {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"parent": {StringValues: values}}
		}
	}
	h := newHistory(local(device("a", list("p", "q")), device("b", list("q", "r")), device("c", list("r", "p"))))
	c := asking("x", requests{request("request", 3)}, result("n1", "a"), result("n1", "b"), result("n1", "c"))
	c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{sameParent()}
	h.allocate(c)
	NewWithT(t).Expect(h.alarms(t.Context(), audit.Config{})).To(Equal([]audit.Alarm{{Rule: audit.AttributesMatch,
		Text: "claim ns/x: devices gpu.example.com/n1/a and gpu.example.com/n1/c differ in the attribute gpu.example.com/parent, which must match"}}))
}
