// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongEvictions are clusters whose kube-controller-manager evicts other pods
// than those that it should.
var wrongEvictions = wrong.Table{
	"claims are found by their names without their namespaces": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			e.Pods = slices.DeleteFunc(slices.Clone(e.All), func(pod *corev1.Pod) bool {
				return !slices.ContainsFunc(pod.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return *c.ResourceClaimName == e.Claim.Name })
			})
		}), Spec: "taint-evicts-in-its-namespace",
		Want: []string{"pod pod should stay, because its device has no taint, and its namesake is in another namespace"},
	},
	"evictions that are due later are of the pod that has the name then": {
		Options: wrong.Misevicts(evictsNamesakes()), Spec: "taint-eviction-spares-next-pod",
		Want: []string{"pod replaced-10s should stay, because its device has no taint"},
	},
	"nothing is evicted": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) { e.Published = nil }), Spec: "taint-evicts-running-pods",
		Want: []string{"pod card should be evicted, because its device has a taint of the effect NoExecute", "pod card is not deleted"},
	},
	"all pods of a pool are evicted": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) { e.Published = evictingTaint }), Spec: "taint-evicts-running-pods",
		Want: []string{"should stay, because their devices have no taint", "pod disk is deleted"},
	},
	"devices are found by their pools and names": {
		Options: wrong.Misevicts(findsTaintsBy(idOf)), Spec: "taint-evicts-running-pods",
		Want: []string{"should stay, because their devices have no taint", "pod other-driver is deleted"},
	},
	"devices are found by their drivers and names": {
		Options: wrong.Misevicts(findsTaintsBy(func(e *fakecluster.Eviction) string { return e.Result.Driver + "/" + e.Result.Device })), Spec: "taint-evicts-running-pods",
		Want: []string{"should stay, because their devices have no taint", "pod other-pool is deleted"},
	},
	"only devices that get taints are looked at": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			if e.Result.Device == "tainted-before" {
				e.Published = nil
			}
		}),
		Spec: "taint-toleration-seconds-delay-eviction", Want: []string{"pod tainted-before should be evicted, because its device had the taint before it was allocated"},
	},
	"only the first device of a claim counts": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			if e.Result.Request == "disk" {
				e.Published = nil
			}
		}),
		Spec: "taint-on-one-of-several-devices-evicts", Want: []string{"pod two-requests is not deleted"},
	},
	"only the first claim of a pod counts": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			if e.Result.Device == "disk-1" {
				e.Published = nil
			}
		}),
		Spec: "taint-on-one-of-several-devices-evicts", Want: []string{"pod two-claims is not deleted"},
	},
	"only the first pod of a claim is evicted": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			e.Pods = slices.DeleteFunc(e.Pods, func(pod *corev1.Pod) bool { return pod.Name != "first" })
		}),
		Spec: "taint-evicts-all-pods-of-claim", Want: []string{"the device of their claim has a taint of the effect NoExecute", "pod second is not deleted", "pod third is not deleted"},
	},
	"a deallocated claim gets its device again": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "next" {
				wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
					without(resourceapi.DeviceTaintEffectNoExecute)(d)
				})
			}
		}),
		Spec: "taint-evicts-all-pods-of-claim", Want: []string{"pod next should be unschedulable, because the only device for its claim still has the taint"},
	},
	"new claims get a device from which pods are evicted": {
		Options: wrong.MisreadsDevices(without(resourceapi.DeviceTaintEffectNoExecute)), Spec: "taint-evicts-all-pods-of-claim",
		Want: []string{"a pod like closed-card-of-node-0 should be pending, because the device has the taint"},
	},
	"tolerations do not prevent evictions": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) { e.Result.Tolerations = nil }), Spec: "taint-tolerated-does-not-evict",
		Want: []string{"should stay, because their claims tolerate the taints"},
	},
	"evictions ignore keys": {
		Options: wrong.Misevicts(eachRecorded(func(t *resourceapi.DeviceToleration) { t.Key = "" })), Spec: "taint-tolerated-does-not-evict",
		Want: []string{"should be evicted, because its claim tolerates"},
	},
	"evictions ignore values": {
		Options: wrong.Misevicts(eachRecorded(exists)), Spec: "taint-tolerated-does-not-evict",
		Want: []string{"pod other-value should be evicted, because its claim tolerates another value than that of the taint"},
	},
	"evictions ignore effects": {
		Options: wrong.Misevicts(eachRecorded(func(t *resourceapi.DeviceToleration) { t.Effect = "" })), Spec: "taint-tolerated-does-not-evict",
		Want: []string{"pod other-effect should be evicted, because its claim tolerates the effect NoSchedule"},
	},
	"evictions ignore all but the first taint": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) { e.Published = e.Published[:min(1, len(e.Published))] }), Spec: "taint-tolerated-does-not-evict",
		Want: []string{"pod second-taint should be evicted, because its claim tolerates the first of two taints only"},
	},
	"evictions wait for the last of several times": {
		Options: wrong.Misevicts(untilLast), Spec: "taint-tolerated-does-not-evict",
		Want: []string{"pod first-for-an-hour should be evicted, because its claim tolerates the first of two taints for an hour, and not the other one"},
	},
	"any time that passes evicts": {
		Options: wrong.Misevicts(eachRecorded(func(t *resourceapi.DeviceToleration) {
			if t.TolerationSeconds != nil {
				*t.TolerationSeconds = 0
			}
		})),
		Spec: "taint-withdrawn-cancels-eviction", Want: []string{"should stay, because the taints of their devices were removed"},
	},
	"a claim is evicted when the last of its devices is due": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			if e.Result.Device == "disk-2" {
				e.Published = nil
			}
		}),
		Spec: "taint-on-one-of-several-devices-evicts", Want: []string{"although that of the other one is tolerated for an hour", "pod hour-of-first-request is not deleted"},
	},
	"evicted pods look like failed ones": {
		Options: wrong.With(fakecluster.ControllerMistakes{EvictsWithoutCondition: true}), Spec: "taint-evicts-running-pods",
		Want: []string{"pod card should have the condition DisruptionTarget, because it was evicted"},
	},
	"taints that keep new pods away evict pods": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			for i := range e.Published {
				e.Published[i].Effect = resourceapi.DeviceTaintEffectNoExecute
			}
		}),
		Spec: "taint-no-schedule-does-not-evict", Want: []string{"pod card should stay, because its device has only a taint of the effect NoSchedule"},
	},
	"evictions do not wait": {
		Options: wrong.Misevicts(eachRecorded(func(t *resourceapi.DeviceToleration) { *t.TolerationSeconds = 0 })), Spec: "taint-toleration-seconds-delay-eviction",
		Want: []string{"pod for-a-short-time should not be evicted before 6s have passed since"},
	},
	"tolerations of a time last forever": {
		Options: wrong.Misevicts(eachRecorded(func(t *resourceapi.DeviceToleration) { t.TolerationSeconds = nil })), Spec: "taint-toleration-seconds-delay-eviction",
		Want: []string{"pod for-no-time should be evicted, because its claim tolerates the taint for no time"},
	},
	"evictions wait from the last change of a slice": {
		Options: wrong.Misevicts(waitsFromChanges()), Spec: "taint-toleration-seconds-delay-eviction",
		Want: []string{"pod for-a-short-time should be evicted, although its device changes in other respects than its taint", "pod for-a-short-time is not deleted"},
	},
	"pods that are on no node are evicted": {
		Options: wrong.Misevicts(evictsAlso("waiting")), Spec: "taint-spares-unscheduled-pods",
		Want: []string{"pod waiting should stay, because it is on no node", "pod waiting is deleted"},
	},
	"evictions wait from when a taint is observed": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			for i := range e.Published {
				if added := e.Published[i].TimeAdded; time.Since(added.Time) > time.Hour {
					now := metav1.Now()
					e.Published[i].TimeAdded = &now
				}
			}
		}),
		Spec: "taint-toleration-seconds-delay-eviction", Want: []string{"pod until-an-hour-ago should be evicted", "the taint was added two hours ago"},
	},
}

// findsTaintsBy makes the controller see the taints of another device with the same key.
func findsTaintsBy(key func(*fakecluster.Eviction) string) func(*fakecluster.Eviction) {
	known := map[string][]resourceapi.DeviceTaint{}
	return func(e *fakecluster.Eviction) {
		if len(e.Published) > 0 {
			known[key(e)] = e.Published
		}
		e.Published = known[key(e)]
	}
}

// evictingTaint is a taint that no claim tolerates.
var evictingTaint = []resourceapi.DeviceTaint{{Key: "any", Effect: resourceapi.DeviceTaintEffectNoExecute}}

// eachRecorded returns a change of the tolerations in allocations.
func eachRecorded(change func(*resourceapi.DeviceToleration)) func(*fakecluster.Eviction) {
	return func(e *fakecluster.Eviction) {
		for i := range e.Result.Tolerations {
			change(&e.Result.Tolerations[i])
		}
	}
}

// waitsFromChanges returns a change of evictions by which the time of a taint that is not long
// ago is that of the last change of any ResourceSlice.
func waitsFromChanges() func(*fakecluster.Eviction) {
	changes, at := 0, metav1.Now()
	return func(e *fakecluster.Eviction) {
		if e.Changes != changes {
			changes, at = e.Changes, metav1.Now()
		}
		for i := range e.Published {
			if added := e.Published[i].TimeAdded; time.Since(added.Time) < time.Hour {
				e.Published[i].TimeAdded = &at
			}
		}
	}
}

// evictsAlso returns a change of evictions by which a pod that has the claim in its spec is
// evicted, whatever its state.
func evictsAlso(name string) func(*fakecluster.Eviction) {
	return func(e *fakecluster.Eviction) {
		for _, pod := range e.All {
			isUser := slices.ContainsFunc(pod.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return *c.ResourceClaimName == e.Claim.Name })
			if pod.Name == name && pod.Namespace == e.Claim.Namespace && isUser && !slices.Contains(e.Pods, pod) {
				e.Pods = append(e.Pods, pod)
			}
		}
	}
}

// evictsNamesakes returns a change of evictions by which a pod is evicted when that of another
// pod would be due that had its name.
func evictsNamesakes() func(*fakecluster.Eviction) {
	due := map[string]time.Time{}
	return func(e *fakecluster.Eviction) {
		for _, pod := range e.Pods {
			for _, taint := range e.Published {
				for _, toleration := range e.Result.Tolerations {
					due[pod.Name] = taint.TimeAdded.Add(time.Duration(*toleration.TolerationSeconds) * time.Second)
				}
			}
			if at, ok := due[pod.Name]; ok && time.Now().After(at) {
				e.Published, e.Result.Tolerations = evictingTaint, nil
			}
		}
	}
}
