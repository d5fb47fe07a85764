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

func TestAuditorAcceptsUsesOfClaims(t *testing.T) {
	expectNoAlarm(t, map[string]func() (*history, audit.Config){
		"a reservation that ends between two attempts to bind its pod": func() (*history, audit.Config) {
			h := newHistory(local(device("a")))
			c := h.allocate(one("x", result("n1", "a")))
			reserve(c, "pod")
			h.start("n1") // After the claims were read, by the second attempt.
			h.read()
			reserve(c)
			h.pass()
			reserve(c, "pod")
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
		"a claim that is away before its pod": func() (*history, audit.Config) {
			h, _ := running("n1")
			h.read()
			h.Pods[0].DeletionTimestamp = ptr.To(h.Pods[0].CreationTimestamp)
			h.read()
			h.Claims, h.Pods = nil, nil
			h.read()
			return h, audit.Config{}
		},
	})
}

func TestAuditorAcceptsWhatClaimsAskFor(t *testing.T) {
	expectNoAlarm(t, map[string]func() (*history, audit.Config){
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
	})
}

func TestAuditorAcceptsParameters(t *testing.T) {
	expectNoAlarm(t, map[string]func() (*history, audit.Config){
		"an entry for another driver in addition to structured parameters": func() (*history, audit.Config) {
			h := newHistory(demanding())
			c := one("x", result("n1", "a", share("1", "")))
			other, kind := states(`{"net/subnet":{"string":"b"}}`), states(`{}`)
			other.Opaque.Driver, kind.Opaque.Parameters.Raw = driver, []byte(`{"apiVersion":"resource.k8s.io/v1alpha1","kind":"Other"}`)
			configure(&c, other, kind, states(`{"net/subnet":{"string":"a"}}`))
			h.allocate(c)
			return h, audit.Config{Scheduler: audit.Scheduler{SharingAffinity: true}}
		},
		"a configuration for two requests that is repeated for each of them": func() (*history, audit.Config) {
			h := newHistory(local(device("a"), device("b")))
			c := asking("x", requests{request("one", 1), request("two", 1)}, result("n1", "a", toRequest("one")), result("n1", "b", toRequest("two")))
			both, last := states(`{}`, "one", "two"), states(`{"k/of":{"string":"last"}}`, "two")
			configure(&c, both, last)
			c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{both, both, last}
			h.allocate(c)
			return h, audit.Config{}
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
	})
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
