// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// checkAdmitted ends the spec as not applicable if something in the cluster, such as a webhook
// or an admission plugin, has changed a new pod so that it is not scheduled by the scheduler
// that the run judges, is not scheduled at all, or fits none of the nodes that it is for.
// drivers are those whose devices it requests.
func checkAdmitted(ctx context.Context, e *env.Env, wanted, created *corev1.Pod, drivers []string) {
	if e.NotApplicable == nil {
		return // It is no pod of a spec.
	}
	if why := changedScheduling(wanted, created); why != "" {
		e.NotApplicable(fmt.Sprintf("needs pods as it creates them: something in the cluster, such as a webhook, %s pod %s", why, wanted.Name))
	}
	if why := lostNodes(ctx, e, wanted, created, drivers); why != "" {
		e.NotApplicable(fmt.Sprintf("needs pods as it creates them: something in the cluster, such as an admission plugin, %s", why))
	}
}

// changedScheduling returns what has happened to the way in which a pod is scheduled. It is
// empty if that is as the spec wants it.
func changedScheduling(wanted, created *corev1.Pod) string {
	scheduler := func(pod *corev1.Pod) string { return cmp.Or(pod.Spec.SchedulerName, corev1.DefaultSchedulerName) }
	if of := scheduler(created); of != scheduler(wanted) {
		return fmt.Sprintf("has set scheduler %s in place of %s in", of, scheduler(wanted))
	}
	for _, gate := range created.Spec.SchedulingGates {
		if !slices.Contains(wanted.Spec.SchedulingGates, gate) {
			return fmt.Sprintf("has added the scheduling gate %s to", gate.Name)
		}
	}
	return ""
}

// lostNodes returns which nodes a pod does not fit any more because of another node selector or
// node affinity, if these were all that it could run on. Nodes that a spec wants no pod to fit
// are none of them.
func lostNodes(ctx context.Context, e *env.Env, wanted, created *corev1.Pod, drivers []string) string {
	if maps.Equal(wanted.Spec.NodeSelector, created.Spec.NodeSelector) && equality.Semantic.DeepEqual(nodeAffinity(wanted), nodeAffinity(created)) {
		return ""
	}
	nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "" // The failure of the spec shows the pod.
	}
	isHost := findHosts(ctx, e, drivers)
	var lost []string
	for i := range nodes.Items {
		node := &nodes.Items[i]
		if !suits(wanted, node) || !isHost(node.Name) {
			continue
		}
		if suits(created, node) {
			return ""
		}
		lost = append(lost, node.Name)
	}
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf("lets pod %s only run on nodes with %v (node affinity: %v), and not on %v", created.Name, created.Spec.NodeSelector, nodeAffinity(created), lost)
}

func nodeAffinity(pod *corev1.Pod) *corev1.NodeSelector {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func suits(pod *corev1.Pod, node *corev1.Node) bool {
	ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return err == nil && ok
}

// findHosts returns whether all of the drivers have devices on a node, by its name. Simulated
// nodes have those of the spec. A driver of which that cannot be read excludes no node: the
// failure of the spec shows the pod.
func findHosts(ctx context.Context, e *env.Env, drivers []string) func(node string) bool {
	var hosts [][]string
	if e.PlacePod == nil {
		for _, driver := range drivers {
			if names, err := devices.ListHosts(ctx, e, driver); err == nil {
				hosts = append(hosts, names)
			}
		}
	}
	return func(node string) bool {
		return !slices.ContainsFunc(hosts, func(of []string) bool { return !slices.Contains(of, node) })
	}
}
