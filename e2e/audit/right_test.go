// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// expectNoAlarm expects that histories raise no alarm. What happens in them is unusual, but
// right.
func expectNoAlarm(t *testing.T, cases map[string]func() (*history, audit.Config)) {
	t.Helper()
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			h, config := build()
			NewWithT(t).Expect(h.alarms(t.Context(), config)).To(BeEmpty())
		})
	}
}

// The first views have what the auditor cannot have seen begin.
func TestAuditorAcceptsWhatBeganBefore(t *testing.T) {
	expectNoAlarm(t, map[string]func() (*history, audit.Config){
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
	})
}

// What is allocated keeps devices that would not be allocated any more.
func TestAuditorAcceptsDevicesThatChangeInUse(t *testing.T) {
	expectNoAlarm(t, map[string]func() (*history, audit.Config){
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
	})
}

func TestAuditorExpectsNothingThatTheSchedulerDoesNotKnow(t *testing.T) {
	expectNoAlarm(t, map[string]func() (*history, audit.Config){
		"compatibility groups that the scheduler does not know": func() (*history, audit.Config) {
			h := newHistory(divided(device("a", grouped("mig")), device("b", grouped("vgpu"))))
			h.allocate(one("x", result("n1", "a")))
			h.allocate(one("y", result("n1", "b")))
			return h, audit.Config{Scheduler: audit.Scheduler{IgnoresCompatibilityGroups: true}}
		},
		"sharing affinity that the scheduler does not know": func() (*history, audit.Config) {
			h := newHistory(demanding())
			h.allocate(one("x", result("n1", "a", share("1", ""))))
			return h, audit.Config{}
		},
		"an incomplete pool until Kubernetes 1.34": func() (*history, audit.Config) {
			h := newHistory(slice("n1", onNode("n1"), inPoolOf(2), makeDevices(device("a"))))
			h.allocate(one("x", result("n1", "a")))
			return h, audit.Config{Scheduler: audit.Scheduler{UsesIncompletePools: true}}
		},
	})
}

func TestAuditorIgnoresOtherDrivers(t *testing.T) {
	expectNoAlarm(t, map[string]func() (*history, audit.Config){
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
	})
}

func TestAuditorAcceptsAdminAccess(t *testing.T) {
	expectNoAlarm(t, map[string]func() (*history, audit.Config){
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
		"a label for admin access that no view shows": func() (*history, audit.Config) {
			h := newHistory(local(device("a")))
			h.Namespaces[0].ResourceVersion = "1"
			h.read()
			h.Namespaces[0].ResourceVersion = "3"
			h.allocate(asking("x", requests{admin()}, result("n1", "a", forAdmin)))
			return h, audit.Config{}
		},
	})
}
