// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// inJSON formats an object as JSON for messages.
func inJSON(object any) string {
	text, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// checked has the pods and objects that changes of the cluster must not affect.
type checked struct {
	pods []checkedPod
	// seen is the previous state of the spec's objects, without the objects
	// that the spec has deleted since.
	seen objects
}

// checkedPod is a pod that must keep running with its devices.
type checkedPod struct {
	name, node string
	uid        types.UID
	// container is the ID of the container. It is empty for a pod on a
	// simulated node.
	container string
	// restarts counts how often the journey has killed its container.
	restarts int
	devices  []audit.DeviceID
	// allocations has the allocations of its claims by claim name.
	allocations map[string]*resourceapi.AllocationResult
}

// maxRestarts is how often the container of a pod is killed. The kubelet
// doubles the delay before each restart, up to 20 seconds for the last one.
const maxRestarts = 3

// forget removes an object that the spec deletes from the previous state.
func (k *checked) forget(kind, name string) {
	switch kind {
	case "Pod":
		k.forgetPod(name)
	case "ResourceClaim":
		delete(k.seen.claims, name)
		delete(k.seen.others, classicKey(name))
	case "DeviceClass":
		delete(k.seen.others, classKey(name))
	case "ResourceSlice":
		delete(k.seen.others, sliceKey(name))
	case "DeviceTaintRule":
		delete(k.seen.rules, ruleKey(name))
	}
}

// forgetPod also forgets the claims that the pod owns. They are deleted with it.
func (k *checked) forgetPod(name string) {
	pod, seen := k.seen.pods[name]
	delete(k.seen.pods, name)
	maps.DeleteFunc(k.seen.claims, func(_ string, claim resourceapi.ResourceClaim) bool { return seen && isOwnedBy(claim, pod.UID) })
}

func isOwnedBy(claim resourceapi.ResourceClaim, pod types.UID) bool {
	return slices.ContainsFunc(claim.OwnerReferences, func(owner metav1.OwnerReference) bool { return owner.UID == pod })
}

// see replaces the previous state. It keeps what the API server does not serve at the
// moment, which must be there again when it is served.
func (k *checked) see(now objects) {
	if now.rules == nil {
		now.rules = k.seen.rules
	}
	k.seen = now
}

// toRestart returns the pod whose container was killed least often. It returns
// nil if no container may be killed again.
func (k *checked) toRestart() *checkedPod {
	var least *checkedPod
	for i := range k.pods {
		if pod := &k.pods[i]; pod.container != "" && pod.restarts < maxRestarts && (least == nil || pod.restarts < least.restarts) {
			least = pod
		}
	}
	return least
}

// changes returns what has changed for the checked pods and the other objects.
func (k *checked) changes(now objects) []string {
	var all []string
	for _, pod := range k.pods {
		all = append(all, pod.changes(now)...)
	}
	for name, was := range k.seen.pods {
		if is, ok := now.pods[name]; !ok || is.UID != was.UID {
			all = append(all, fmt.Sprintf("pod %s was deleted", name))
		} else {
			all = append(all, lostOfPod(was, is)...)
		}
	}
	for name, was := range k.seen.claims {
		all = append(all, lostOfClaim(was, now.claims[name], now.drivers)...)
	}
	for name, was := range k.seen.others {
		all = append(all, was.lost(name, now.others[name])...)
	}
	for name, was := range k.seen.rules {
		if now.rules != nil {
			all = append(all, was.lost(name, now.rules[name])...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// changes returns what has changed for a pod and its devices.
func (k checkedPod) changes(now objects) []string {
	pod, ok := now.pods[k.name]
	if !ok || pod.UID != k.uid {
		return []string{fmt.Sprintf("pod %s was deleted", k.name)}
	}
	var all []string
	switch {
	case pod.DeletionTimestamp != nil:
		all = append(all, fmt.Sprintf("pod %s is being deleted: %s", k.name, disruption(pod)))
	case pod.Spec.NodeName != k.node:
		all = append(all, fmt.Sprintf("pod %s is on node %s instead of %s", k.name, pod.Spec.NodeName, k.node))
	case k.container != "" && pod.Status.Phase != corev1.PodRunning:
		all = append(all, fmt.Sprintf("pod %s is %s: %s", k.name, pod.Status.Phase, pod.Status.Message))
	case k.container != "" && !slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.ContainerID == k.container }):
		all = append(all, fmt.Sprintf("the container of pod %s has been restarted: %s", k.name, inJSON(pod.Status.ContainerStatuses)))
	}
	for name, was := range k.allocations {
		claim, ok := now.claims[name]
		reserved := slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool { return r.UID == k.uid })
		switch {
		case !ok:
			all = append(all, fmt.Sprintf("claim %s was deleted", name))
		case !equality.Semantic.DeepEqual(claim.Status.Allocation, was):
			all = append(all, fmt.Sprintf("the allocation of claim %s of pod %s has changed to %s from %s", name, k.name, inJSON(claim.Status.Allocation), inJSON(was)))
		case !reserved:
			all = append(all, fmt.Sprintf("claim %s is no longer reserved for pod %s, which uses it", name, k.name))
		}
	}
	return all
}

// disruption returns why a pod is being deleted, if its conditions contain the
// reason.
func disruption(pod corev1.Pod) string {
	if c := pods.Condition(&pod, corev1.DisruptionTarget); c != nil {
		return c.Reason + ": " + c.Message
	}
	return "no reason is reported"
}
