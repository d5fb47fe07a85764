// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// Guest describes a run among other workloads, in a cluster with drivers that
// it did not install. All specs of a process of such a run share one namespace,
// one after the other.
type Guest struct {
	// GivenNamespace is set if the namespace existed before the run. It may have
	// objects of others, and the run changes neither it nor them.
	GivenNamespace bool
	// Architectures are the architectures of the workload image, as in the node
	// label kubernetes.io/arch. Empty means that they are not known.
	Architectures []string
}

// NeedsOwnNamespace is met unless the namespace was given to the run, which
// changes nothing there but its own objects.
const NeedsOwnNamespace Need = "own-namespace"

// OwnQuota is the name of the ResourceQuota of a spec. Others of its namespace are those of the
// cluster.
const OwnQuota = "draconform-devices"

// Selector selects the objects of the spec. In a namespace with objects of
// others, their labels are what identifies them.
func (e *Env) Selector() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: labels.SelectorFromSet(e.Labels).String()}
}

// Owns reports whether an object belongs to the spec: it is in the namespace and
// has the labels.
func (e *Env) Owns(object metav1.Object) bool {
	return object.GetNamespace() == e.Namespace && labels.SelectorFromSet(e.Labels).Matches(labels.Set(object.GetLabels()))
}

// UniqueName returns a name that no other spec and no other run uses, for
// cluster-scoped objects and as a prefix.
func (e *Env) UniqueName() string { return cmp.Or(e.Unique, e.Namespace) }

// Unusable states why pods with devices of a driver cannot run on a node. It is
// empty if they can.
func (e *Env) Unusable(node *corev1.Node, driver string) string {
	if e.Node != "" && e.Node != node.Name {
		return "other specs of this run use it"
	}
	if e.Guest == nil {
		if !Schedulable(node) {
			return "pods cannot be scheduled to it"
		}
		return ""
	}
	return e.Guest.Unusable(node, e.Subject.Pods[driver])
}

// Unusable states why pods with these settings cannot run on a node. It is
// empty if they can.
func (g *Guest) Unusable(node *corev1.Node, settings driverfile.Pods) string {
	return g.UnusableFor(node, settings.NodeSelector, settings.Tolerations)
}

// UnusableFor is [Guest.Unusable] for pods with a node selector and tolerations.
func (g *Guest) UnusableFor(node *corev1.Node, selector map[string]string, tolerations []corev1.Toleration) string {
	needed := map[string]string{corev1.LabelOSStable: string(corev1.Linux)}
	maps.Copy(needed, selector)
	for _, key := range slices.Sorted(maps.Keys(needed)) {
		if value, ok := node.Labels[key]; value != needed[key] {
			return fmt.Sprintf("its label %s is %s, pods need %q", key, quotedOrNone(value, ok), needed[key])
		}
	}
	if arch := node.Labels[corev1.LabelArchStable]; len(g.Architectures) > 0 && !slices.Contains(g.Architectures, arch) {
		return fmt.Sprintf("its architecture is %s, the workload image is for %v", arch, g.Architectures)
	}
	if node.Spec.Unschedulable {
		return "it is cordoned"
	}
	if taint, found := untolerated(node, tolerations); found {
		return fmt.Sprintf("pods do not tolerate its taint %s", taint.ToString())
	}
	if !Ready(node) {
		return "it is not ready"
	}
	return ""
}

// untolerated returns the first taint that keeps pods with these tolerations
// off a node.
func untolerated(node *corev1.Node, tolerations []corev1.Toleration) (corev1.Taint, bool) {
	// An API server that does not support comparisons rejects pods with them.
	const comparisons = true
	return corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, tolerations, keepsOff, comparisons)
}

func keepsOff(t *corev1.Taint) bool {
	return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
}

func quotedOrNone(value string, ok bool) string {
	if !ok {
		return "not set"
	}
	return fmt.Sprintf("%q", value)
}

// Ready reports whether a node is ready. A node without the condition is not.
func Ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}
