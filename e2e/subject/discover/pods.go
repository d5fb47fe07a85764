// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/subject/published"
)

// podsGuess is what the pods of specs need to run on the nodes with devices.
type podsGuess struct {
	NodeSelector    map[string]string
	NodeSelectorWhy string
	Tolerations     []corev1.Toleration
	TolerationsWhy  string
}

func (d *discovery) findPods(set daemonSetGuess) podsGuess {
	var with, without []*corev1.Node
	names := published.Nodes(d.driver.Devices)
	for _, node := range d.Objects.Nodes {
		if slices.Contains(names, node.Name) {
			with = append(with, node)
		} else {
			without = append(without, node)
		}
	}
	if len(with) == 0 {
		return podsGuess{NodeSelectorWhy: cmp.Or(d.NoNodes, "the nodes were not read")}
	}
	var p podsGuess
	p.NodeSelector, p.NodeSelectorWhy = nodeSelector(set, with, without)
	p.Tolerations, p.TolerationsWhy = tolerations(with)
	return p
}

// nodeSelector returns labels that the nodes with devices have and no others.
func nodeSelector(set daemonSetGuess, with, without []*corev1.Node) (selector map[string]string, why string) {
	if len(without) == 0 {
		return nil, "all nodes have devices of the driver"
	}
	if set.set != nil {
		of := set.set.Spec.Template.Spec.NodeSelector
		if len(of) > 0 && !slices.ContainsFunc(with, func(n *corev1.Node) bool { return !hasLabels(n, of) }) {
			return of, fmt.Sprintf("The node selector of the DaemonSet, which matches all %d nodes with devices.", len(with))
		}
	}
	common := maps.Clone(with[0].Labels)
	for _, n := range with {
		maps.DeleteFunc(common, func(key, value string) bool { return n.Labels[key] != value })
	}
	for _, n := range without {
		maps.DeleteFunc(common, func(key, value string) bool { return n.Labels[key] == value })
	}
	delete(common, corev1.LabelHostname)
	keys := slices.SortedFunc(maps.Keys(common), func(a, b string) int {
		return cmp.Or(cmp.Compare(toInt(isGeneral(a)), toInt(isGeneral(b))), cmp.Compare(a, b))
	})
	if len(keys) == 0 {
		return nil, "no label distinguishes the nodes with devices. Claims restrict the pods to these nodes"
	}
	return map[string]string{keys[0]: common[keys[0]]}, fmt.Sprintf("All %d nodes with devices have this label, and the other %d nodes do not.", len(with), len(without))
}

// isGeneral reports whether a label is one that Kubernetes sets on all nodes.
func isGeneral(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io")
}

func hasLabels(node *corev1.Node, labels map[string]string) bool {
	for key, value := range labels {
		if actual, found := node.Labels[key]; !found || actual != value {
			return false
		}
	}
	return true
}

// tolerations returns tolerations of the taints of nodes with devices. Taints
// for the condition of a node do not count, and those of the control plane only
// if it has all the devices.
func tolerations(with []*corev1.Node) (all []corev1.Toleration, why string) {
	var texts []string
	for _, node := range with {
		for _, taint := range node.Spec.Taints {
			t := corev1.Toleration{Key: taint.Key, Operator: corev1.TolerationOpExists, Effect: taint.Effect}
			if ignored(taint, with) || slices.Contains(all, t) {
				continue
			}
			all = append(all, t)
			texts = append(texts, fmt.Sprintf("%s of node %s", taint.ToString(), node.Name))
		}
	}
	if len(all) == 0 {
		return nil, "the nodes with devices have no taints"
	}
	return all, fmt.Sprintf("The nodes with devices have taints: %s.", strings.Join(texts, ", "))
}

func ignored(taint corev1.Taint, with []*corev1.Node) bool {
	switch {
	case taint.Effect == corev1.TaintEffectPreferNoSchedule:
		return true
	case strings.HasPrefix(taint.Key, "node.kubernetes.io/"):
		return true
	case taint.Key == "node-role.kubernetes.io/control-plane":
		return slices.ContainsFunc(with, func(n *corev1.Node) bool {
			return !slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == taint.Key })
		})
	}
	return false
}
