// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// card returns a pool with a counter of the given memory, a device that
// consumes 40Gi of it, and one that consumes half of that.
func card(memory string) resourceapi.ResourceSlice {
	return slice("n1", onNode("n1"), set("gpu", values{"memory": memory}), makeDevices(
		device("whole", consumes("gpu", values{"memory": "40Gi"})), device("half", consumes("gpu", values{"memory": "20Gi"})),
	))
}

const (
	overdrawn      = "counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 60Gi of 40Gi are consumed (20Gi by half of ns/y; 40Gi by whole of ns/x)"
	allocatedTwice = "device gpu.example.com/n1/a is allocated 2 times, and 2 times as a whole: to ns/x and ns/y"
)

// asked returns a claim that is not allocated.
func asked(name string) resourceapi.ResourceClaim {
	c := asking(name, requests{request("request", 1)})
	c.Status = resourceapi.ResourceClaimStatus{}
	return c
}

// between contains scenarios of events between two views, which only the watch
// reports.
var between = map[string]scenario{
	"a device that two claims had for a moment": {rule: audit.DeviceOnce, want: allocatedTwice, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.allocate(one("x", result("n1", "a")))
		if !wrong {
			h.Claims = nil
			h.pass()
		}
		h.put(one("y", result("n1", "a")))
		h.pass()
		h.Claims = nil
		h.read()
		return h
	}},
	"counters that were overdrawn for a moment": {rule: audit.CountersSuffice, want: overdrawn, build: func(wrong bool) *history {
		h := newHistory(card("40Gi"))
		h.settle()
		h.put(one("x", result("n1", "whole")))
		h.pass()
		if !wrong {
			h.Claims = nil
			h.pass()
		}
		h.put(one("y", result("n1", "half")))
		h.pass()
		h.Claims = nil
		h.read()
		return h
	}},
	"a claim that was allocated and deleted between two views": {rule: audit.RequestSatisfied, want: "claim ns/x: request request has 1 devices, not 2", build: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")))
		c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
		if wrong {
			c = asking("x", requests{request("request", 2)}, result("n1", "a"))
		}
		h.put(c)
		h.pass()
		h.Claims = nil
		h.read()
		return h
	}},
	"a claim that was deallocated for a moment while its pod ran": {rule: audit.AllocationKept,
		want: "claim ns/x: it was deallocated while pod ns/pod (UID pod) is on node n1 and uses it", build: func(wrong bool) *history {
			h, c := running("n1")
			h.read()
			h.read()
			if was := c.Status; wrong {
				c.Status = resourceapi.ResourceClaimStatus{}
				h.pass()
				c.Status = was
			}
			h.pass()
			h.read()
			return h
		}},
	"a pool that is new": {rule: audit.CountersSuffice, want: overdrawn, build: func(wrong bool) *history {
		h := newHistory()
		h.put(asked("x"))
		h.put(asked("y"))
		h.offer(card("40Gi"))
		h.pass()
		h.put(one("x", result("n1", "whole")))
		if wrong {
			h.put(one("y", result("n1", "half")))
		}
		h.read()
		return h
	}},
	"a pool that is new and had more": {rule: audit.CountersSuffice, want: overdrawn, build: func(wrong bool) *history {
		h := newHistory()
		h.put(asked("x"))
		h.put(asked("y"))
		if !wrong {
			h.offer(card("60Gi"))
			h.pass()
		}
		h.offer(card("40Gi"))
		h.pass()
		h.put(one("x", result("n1", "whole")))
		h.put(one("y", result("n1", "half")))
		h.read()
		return h
	}},
	"a pool that is new, or existed before the first view": {rule: audit.CountersSuffice, want: overdrawn, build: func(wrong bool) *history {
		var before []resourceapi.ResourceSlice
		if !wrong {
			before = append(before, slice("n2", onNode("n2"), makeDevices(device("other"))))
		}
		h := newHistory(before...)
		h.put(asked("x"))
		h.put(asked("y"))
		h.offer(append(before, card("40Gi"))...)
		h.put(one("x", result("n1", "whole")))
		h.put(one("y", result("n1", "half")))
		h.read()
		return h
	}},
	"a pool that is new, or was another before": {rule: audit.CountersSuffice, want: overdrawn, build: func(wrong bool) *history {
		h := newHistory()
		h.unseen = !wrong
		h.put(asked("x"))
		h.put(asked("y"))
		h.offer(card("40Gi"))
		h.put(one("x", result("n1", "whole")))
		h.put(one("y", result("n1", "half")))
		h.read()
		return h
	}},
	"a pool that is new, whose first state is not known": {rule: audit.CountersSuffice, want: overdrawn, build: func(wrong bool) *history {
		h := newHistory()
		h.put(asked("x"))
		h.put(asked("y"))
		h.offer(card("40Gi"))
		h.Slices[0].Generation = either[int64](wrong, 1, 2)
		h.put(one("x", result("n1", "whole")))
		h.put(one("y", result("n1", "half")))
		h.read()
		return h
	}},
}

func TestAuditorSeesWhatWasBetweenLooks(t *testing.T) {
	for name, s := range between {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(s.build(false).alarms(t.Context(), s.config)).To(BeEmpty(), "without the fault")
			g.Expect(s.build(true).alarms(t.Context(), s.config)).To(Equal([]audit.Alarm{{Rule: s.rule, Text: s.want}}), "with the fault")
		})
	}
}
