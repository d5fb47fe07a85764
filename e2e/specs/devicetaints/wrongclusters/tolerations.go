// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongTolerations are clusters whose scheduler makes mistakes with the
// tolerations of claims.
var wrongTolerations = wrong.Table{
	"scheduler ignores tolerations for a time": {
		Options: wrong.MisreadsClaims(drop(func(t resourceapi.DeviceToleration) bool { return t.TolerationSeconds != nil })), Spec: "taint-tolerated-for-a-time-lets-pods-in",
		Want: []string{"pod worn is not scheduled"},
	},
	"scheduler takes a toleration for a time for one of all taints": {
		Options: wrong.MisreadsClaims(each(func(t *resourceapi.DeviceToleration) {
			if t.TolerationSeconds != nil {
				t.Key = ""
			}
		})), Spec: "taint-tolerated-for-a-time-lets-pods-in",
		Want: []string{"pod other should be unschedulable, because its claim tolerates a taint that its device does not have"},
	},
	"scheduler ignores keys": {
		Options: wrong.MisreadsClaims(each(func(t *resourceapi.DeviceToleration) { t.Key = "" })), Spec: "taint-toleration-compares-keys",
		Want: []string{"pod other-key should be unschedulable, because its toleration has another key than the taint"},
	},
	"scheduler compares keys even if there is none": {
		Options: wrong.MisreadsClaims(drop(func(t resourceapi.DeviceToleration) bool { return t.Key == "" })), Spec: "taint-toleration-compares-keys",
		Want: []string{"pod any-key is not scheduled"},
	},
	"scheduler ignores values": {
		Options: wrong.MisreadsClaims(each(exists)), Spec: "taint-toleration-compares-values",
		Want: []string{"pod other-value should be unschedulable, because its toleration has another value than the taint"},
	},
	"scheduler ignores values by default": {
		Options: wrong.MisreadsClaims(each(func(t *resourceapi.DeviceToleration) {
			if t.Operator == "" {
				exists(t)
			}
		})),
		Spec: "taint-toleration-compares-values", Want: []string{"pod other-value-by-default should be unschedulable"},
	},
	"scheduler compares values also for any value": {
		Options: wrong.MisreadsClaims(each(func(t *resourceapi.DeviceToleration) { t.Operator = resourceapi.DeviceTolerationOpEqual })), Spec: "taint-toleration-compares-values",
		Want: []string{"pod any-value is not scheduled"},
	},
	"scheduler ignores effects": {
		Options: wrong.MisreadsClaims(each(func(t *resourceapi.DeviceToleration) { t.Effect = "" })), Spec: "taint-toleration-compares-effects",
		Want: []string{"pod not-all-pods should be unschedulable, because its toleration is for the effect NoSchedule", "pod not-new-pods should be unschedulable"},
	},
	"scheduler ignores effects if there is no key": {
		Options: wrong.MisreadsClaims(each(func(t *resourceapi.DeviceToleration) {
			if t.Key == "" {
				t.Effect = ""
			}
		})), Spec: "taint-toleration-compares-effects",
		Want: []string{"pod any-key-not-all-pods should be unschedulable", "pod any-key-not-new-pods should be unschedulable"},
	},
	"scheduler reads the first toleration of a key": {
		Options: misreadsTolerations(func(all []resourceapi.DeviceToleration) []resourceapi.DeviceToleration { return all[:min(1, len(all))] }),
		Spec:    "taint-toleration-compares-values", Want: []string{"pod last-of-two-values is not scheduled"},
	},
	"scheduler reads the last toleration of a key": {
		Options: misreadsTolerations(func(all []resourceapi.DeviceToleration) []resourceapi.DeviceToleration {
			return all[max(0, len(all)-1):]
		}),
		Spec: "taint-toleration-compares-values", Want: []string{"pod first-of-two-values is not scheduled"},
	},
	"scheduler compares effects even if there is none": {
		Options: wrong.MisreadsClaims(drop(func(t resourceapi.DeviceToleration) bool { return t.Effect == "" })), Spec: "taint-toleration-compares-effects",
		Want: []string{"pod any-effect-new-pods is not scheduled"},
	},
	"scheduler reads 15 taints": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.Taints = d.Taints[:min(15, len(d.Taints))] }), Spec: "taints-up-to-the-limit",
		Want: []string{"pod all-but-the-last should be unschedulable, because it does not tolerate the last of 16 taints"},
	},
	"scheduler reads 15 tolerations": {
		Options: misreadsTolerations(func(all []resourceapi.DeviceToleration) []resourceapi.DeviceToleration {
			return all[:min(15, len(all))]
		}), Spec: "taints-up-to-the-limit",
		Want: []string{"pod all is not scheduled"},
	},
	"scheduler tolerates the taints of second devices": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "last" {
				s.Claims[0].Spec.Devices.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{Operator: resourceapi.DeviceTolerationOpExists}}
			}
		}), Spec: "taint-on-one-of-several-devices-keeps-pods-away",
		Want: []string{"pod last should be unschedulable, because the second of the two devices for its request has a taint"},
	},
	"scheduler applies tolerations to all requests": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Requests {
				c.Requests[i].Exactly.Tolerations = c.Requests[0].Exactly.Tolerations
			}
		}),
		Spec: "taint-toleration-is-of-one-request", Want: []string{"pod one should be unschedulable, because its request disk does not tolerate the taint"},
	},
	"scheduler reads the tolerations of the first request only": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Requests[1:] {
				c.Requests[1+i].Exactly.Tolerations = nil
			}
		}),
		Spec: "taint-toleration-is-of-one-request", Want: []string{"pod both is not scheduled"},
	},
	"scheduler does not record tolerations": {
		Options: miswrites(func(_ *resourceapi.DeviceClaim, r *resourceapi.DeviceRequestAllocationResult) { r.Tolerations = nil }), Spec: "taint-tolerations-are-recorded",
		Want: []string{"should have the tolerations of cards"},
	},
	"scheduler records only tolerations that are needed": {
		Options: miswrites(func(_ *resourceapi.DeviceClaim, r *resourceapi.DeviceRequestAllocationResult) {
			r.Tolerations = r.Tolerations[:min(1, len(r.Tolerations))]
		}),
		Spec: "taint-tolerations-are-recorded", Want: []string{"should have the tolerations of cards"},
	},
	"scheduler records all tolerations of a claim": {
		Options: miswrites(func(c *resourceapi.DeviceClaim, r *resourceapi.DeviceRequestAllocationResult) {
			r.Tolerations = c.Requests[0].Exactly.Tolerations
		}),
		Spec: "taint-tolerations-are-recorded", Want: []string{"should have the tolerations of disk"},
	},
	"scheduler records the tolerations of the first alternative": {
		Options: miswrites(func(c *resourceapi.DeviceClaim, r *resourceapi.DeviceRequestAllocationResult) {
			r.Tolerations = c.Requests[0].FirstAvailable[0].Tolerations
		}),
		Spec: "taint-tolerations-of-alternative-are-recorded", Want: []string{"should have the tolerations of list/card"},
	},
}

// misreadsTolerations returns the options of a cluster whose scheduler changes the list of
// tolerations of requests.
func misreadsTolerations(change func([]resourceapi.DeviceToleration) []resourceapi.DeviceToleration) fakecluster.Options {
	return wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
		for _, request := range c.Requests {
			request.Exactly.Tolerations = change(request.Exactly.Tolerations)
		}
	})
}

// each returns a change of all tolerations of a claim.
func each(change func(*resourceapi.DeviceToleration)) func(*resourceapi.DeviceClaim) {
	return func(c *resourceapi.DeviceClaim) {
		for _, request := range c.Requests {
			for i := range request.Exactly.Tolerations {
				change(&request.Exactly.Tolerations[i])
			}
		}
	}
}

// drop returns a change of a claim that removes tolerations.
func drop(which func(resourceapi.DeviceToleration) bool) func(*resourceapi.DeviceClaim) {
	return func(c *resourceapi.DeviceClaim) {
		for _, request := range c.Requests {
			request.Exactly.Tolerations = slices.DeleteFunc(request.Exactly.Tolerations, which)
		}
	}
}

func tolerateNothing(c *resourceapi.DeviceClaim) {
	drop(func(resourceapi.DeviceToleration) bool { return true })(c)
}

func exists(t *resourceapi.DeviceToleration) {
	t.Operator, t.Value = resourceapi.DeviceTolerationOpExists, ""
}

// miswrites returns the options of a cluster whose scheduler changes each
// allocated device of a claim.
func miswrites(change func(*resourceapi.DeviceClaim, *resourceapi.DeviceRequestAllocationResult)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
		for i := range results {
			for j := range results[i].Devices.Results {
				change(&s.Claims[i].Spec.Devices, &results[i].Devices.Results[j])
			}
		}
	}})
}
