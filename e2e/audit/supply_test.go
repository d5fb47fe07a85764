// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// supplies contains scenarios of allocations that exceed what slices offer.
var supplies = map[string]scenario{
	"a device twice": {rule: audit.DeviceOnce, build: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")))
		h.allocate(one("x", result("n1", "a")))
		h.allocate(one("y", result("n1", either(wrong, "a", "b"))))
		return h
	}, want: "device gpu.example.com/n1/a is allocated 2 times, and 2 times as a whole: to ns/x and ns/y"},
	"a whole device in addition to a share": {rule: audit.DeviceOnce, build: func(wrong bool) *history {
		h := newHistory(local(device("a", shared)))
		h.allocate(one("x", result("n1", "a", share("1", ""))))
		h.allocate(one("y", result("n1", "a", share(either(wrong, "", "2"), ""))))
		return h
	}, want: "device gpu.example.com/n1/a is allocated 2 times, and 1 times as a whole: to ns/x and ns/y"},
	"a share twice": {rule: audit.DeviceOnce, build: func(wrong bool) *history {
		h := newHistory(local(device("a", shared)))
		h.allocate(one("x", result("n1", "a", share("1", ""))))
		h.allocate(one("y", result("n1", "a", share(either(wrong, "1", "2"), ""))))
		return h
	}, want: "share 1 of device gpu.example.com/n1/a is allocated 2 times: to ns/x and ns/y"},
	"a device that no slice has": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.allocate(one("x", result("n1", either(wrong, "b", "a"))))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/b is in no slice of the newest generation of its pool"},
	"an outdated generation": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		h := newHistory(
			slice("n1", onNode("n1"), generation(1), makeDevices(device("old"))),
			slice("n1", onNode("n1"), generation(2), makeDevices(device("new"))),
		)
		h.allocate(one("x", result("n1", either(wrong, "old", "new"))))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/old is in no slice of the newest generation of its pool"},
	"an incomplete pool": {rule: audit.PoolComplete, build: func(wrong bool) *history {
		h := newHistory(slice("n1", onNode("n1"), inPoolOf(either[int64](wrong, 3, 1)), makeDevices(device("a"))))
		h.allocate(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is from pool gpu.example.com/n1 with missing slices: 2"},
	"a device in two slices": {rule: audit.PoolValid, build: func(wrong bool) *history {
		h := newHistory(
			slice("n1", onNode("n1"), inPoolOf(2), makeDevices(device("a"))),
			slice("n1", onNode(either(wrong, "n1", "n2")), inPoolOf(2), makeDevices(device("b"), device(either(wrong, "a", "c")))),
		)
		h.allocate(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is from pool gpu.example.com/n1, which is invalid: device a exists twice"},
	"a counter set in two slices": {rule: audit.PoolValid, build: func(wrong bool) *history {
		h := newHistory(
			slice("n1", onNode("n1"), inPoolOf(3), parts), slice("n1", onNode("n1"), inPoolOf(3), gpu),
			slice("n1", onNode("n1"), inPoolOf(3), set(either(wrong, "gpu", "gpu-1"), values{"memory": "40Gi", "engines": "1"})),
		)
		h.allocate(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is from pool gpu.example.com/n1, which is invalid: counter set gpu exists twice"},
	"a counter that is missing": {rule: audit.PoolValid, build: func(wrong bool) *history {
		h := newHistory(
			slice("n1", onNode("n1"), inPoolOf(2), makeDevices(device("a"), device("b", consumes("gpu", values{"memory": "1"})))),
			slice("n1", onNode("n1"), inPoolOf(2), set("gpu", values{either(wrong, "engines", "memory"): "1"})),
		)
		h.allocate(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is from pool gpu.example.com/n1, which is invalid: device b consumes counter memory of counter set gpu, which no slice has"},
	"counters of the pool": {rule: audit.CountersSuffice, build: func(wrong bool) *history {
		h := newHistory(slice("n1", onNode("n1"), inPoolOf(2), parts), slice("n1", onNode("n1"), inPoolOf(2), gpu))
		h.allocate(one("x", result("n1", "a")))
		h.allocate(one("y", result("n1", either(wrong, "whole", "b"))))
		return h
	}, want: "counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 60Gi of 40Gi are consumed (20Gi by a of ns/x; 40Gi by whole of ns/y)"},
	"counters of a slice": {rule: audit.CountersSuffice, build: func(wrong bool) *history {
		// Until Kubernetes 1.34, equal names in two slices are two counters.
		h := newHistory(
			slice("n1", onNode("n1"), inPoolOf(2), gpu, parts),
			slice("n1", onNode("n1"), inPoolOf(2), gpu, makeDevices(device("other", consumes("gpu", values{"memory": "40Gi"})))),
		)
		h.allocate(one("x", result("n1", "other")))
		h.allocate(one("y", result("n1", "a")))
		h.allocate(one("z", result("n1", either(wrong, "whole", "b"))))
		return h
	}, want: "counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 60Gi of 40Gi are consumed (20Gi by a of ns/y; 40Gi by whole of ns/z)"},
	"compatibility groups": {rule: audit.GroupsCompatible, build: func(wrong bool) *history {
		h := newHistory(divided(device("a", grouped("mig")), device("b", grouped(either(wrong, "vgpu", "mig")))))
		h.allocate(one("x", result("n1", "a")))
		h.allocate(one("y", result("n1", "b")))
		return h
	}, want: "counter set gpu in pool gpu.example.com/n1 is consumed by devices that have no compatibility group in common: a of ns/x with [mig]; b of ns/y with [vgpu]"},
	"compatibility groups of one claim": {rule: audit.GroupsCompatible, build: func(wrong bool) *history {
		h := newHistory(divided(device("a", grouped(either(wrong, []string{"mig"}, nil)...)), device("b", grouped())))
		h.allocate(asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b")))
		return h
	}, want: "counter set gpu in pool gpu.example.com/n1 is consumed by devices that have no compatibility group in common: a of ns/x with [mig]; b of ns/x with []"},
	"capacity": {rule: audit.CapacitySuffices, build: func(wrong bool) *history {
		h := newHistory(local(device("a", shared, capacity("8Gi", nil))))
		h.allocate(asking("x", requests{wants("6Gi")}, result("n1", "a", share("1", "6Gi"))))
		memory := either(wrong, "3Gi", "2Gi")
		h.allocate(asking("y", requests{wants(memory)}, result("n1", "a", share("2", memory))))
		return h
	}, want: "capacity memory of device gpu.example.com/n1/a is overdrawn: 9Gi of 8Gi are consumed (6Gi by ns/x; 3Gi by ns/y)"},
	"capacity that is not recorded": {rule: audit.CapacityConsumed, build: func(wrong bool) *history {
		h := newHistory(local(device("a", shared, capacity("8Gi", nil))))
		h.allocate(asking("x", requests{wants("6Gi")}, result("n1", "a", share("1", either(wrong, "", "6Gi")))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a, whose capacity memory is consumed by 6442450944, but nothing is recorded"},
	"a share of a device that is not shared": {rule: audit.CapacityConsumed, build: func(wrong bool) *history {
		h := newHistory(local(device("a", either(wrong, func(*resourceapi.Device) {}, shared))))
		h.allocate(asking("x", requests{request("request", 1)}, result("n1", "a", share("1", ""))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a, which is not shared, as a share"},
	"capacity that was not rounded": {rule: audit.CapacityConsumed, build: func(wrong bool) *history {
		policy := &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("2")), ValidRange: &resourceapi.CapacityRequestPolicyRange{
			Min: ptr.To(resource.MustParse("2")), Step: ptr.To(resource.MustParse("3")),
		}}
		h := newHistory(local(device("a", shared, capacity("12", policy))))
		h.allocate(asking("x", requests{wants("4")}, result("n1", "a", share("1", either(wrong, "4", "5")))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a, of whose capacity memory it consumes 4, not 5"},
	"a fraction of a capacity": {rule: audit.CapacityConsumed, build: func(wrong bool) *history {
		h := newHistory(local(device("a", shared, capacity("8", nil))))
		h.allocate(asking("x", requests{wants("1500m")}, result("n1", "a", share("1", either(wrong, "1", "1500m")))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a, of whose capacity memory it consumes 1, not 1.5"},
	"less capacity than asked for": {rule: audit.CapacityConsumed, build: func(wrong bool) *history {
		h := newHistory(local(device("a", capacity(either(wrong, "4", "5"), nil))))
		h.allocate(asking("x", requests{wants("5")}, result("n1", "a")))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a, whose capacity memory is 4, less than the requested amount"},
	"capacity that the device lacks": {rule: audit.CapacityConsumed, build: func(wrong bool) *history {
		h := newHistory(local(device("a", capacity("8", nil)), device("b")))
		h.allocate(asking("x", requests{wants("5")}, result("n1", either(wrong, "b", "a"))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/b, which has no capacity memory"},
}
