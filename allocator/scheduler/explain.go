// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/allocator/explain"
)

// Pods are explained when they failed. The scheduler is blocked in the meantime, so only some of the nodes are
// explained.
const (
	explainNodes = 16
	explainTime  = 20 * time.Millisecond
	// explainRepeated is the number of consecutive nodes with known reasons after which no more nodes are explained.
	explainRepeated = 3
	// explainGroups is the maximum number of different explanations in a summary, explainBytes the maximum length of
	// all of them together. kube-scheduler truncates events after 1024 bytes, and the message contains the reasons
	// of other nodes as well.
	explainGroups = 3
	explainBytes  = 600
)

// PodExplanation is why a pod found no devices in its last scheduling attempt.
type PodExplanation struct {
	Namespace string      `json:"namespace"`
	Name      string      `json:"name"`
	UID       string      `json:"uid"`
	Time      metav1.Time `json:"time"`
	// NodesWithoutDevices is the number of nodes without enough devices. NodesExplained is how many of them were
	// explained.
	NodesWithoutDevices int `json:"nodesWithoutDevices"`
	NodesExplained      int `json:"nodesExplained"`
	// Summary is the part of the condition PodScheduled's message that is about devices.
	Summary string `json:"summary"`
	// Groups are nodes with the same kind of reasons, at most 3. Groups that may change when other claims release
	// devices come first, then groups with more nodes.
	Groups []NodeGroup `json:"groups"`
}

// NodeGroup is a set of nodes that fail for the same kind of reasons.
type NodeGroup struct {
	// Nodes are the names of the explained nodes. Explanation is that of the first.
	Nodes       []string             `json:"nodes"`
	Explanation *explain.Explanation `json:"explanation"`
}

// explain returns why nodes have no devices for the pod. It returns nil if no node was rejected for lack of devices.
// When it takes too long, it returns a partial result.
func (p *Plugin) explain(ctx context.Context, a *attempt, pod *corev1.Pod) *PodExplanation {
	a.mu.Lock()
	rejected := maps.Clone(a.rejected)
	a.mu.Unlock()
	if len(rejected) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.explainTime)
	defer cancel()
	out := &PodExplanation{
		Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID), Time: metav1.Now(), NodesWithoutDevices: len(rejected),
	}
	var found []*explain.Explanation
	known, repeated := sets.New[string](), 0
	for _, name := range spread(slices.Sorted(maps.Keys(rejected)), explainNodes) {
		x, err := a.searcher.Explain(ctx, rejected[name].node, rejected[name].claims, p.shared.holdersOf)
		if err != nil {
			break // The time is used up.
		}
		if x.Outcome == explain.OutcomeFit {
			continue
		}
		found = append(found, x)
		key, _ := reasonsOf(x)
		if repeated++; !known.Has(key) {
			known.Insert(key)
			repeated = 0
		}
		if repeated == explainRepeated {
			break // More nodes of the same kind would add nothing.
		}
	}
	out.NodesExplained = len(found)
	out.Groups = grouped(found)
	out.Summary = out.summarize()
	return out
}

// spread returns up to n of the names, evenly distributed over the list.
func spread(names []string, n int) []string {
	if len(names) <= n {
		return names
	}
	list := make([]string, n)
	for i := range list {
		list[i] = names[i*len(names)/n]
	}
	return list
}

// grouped groups nodes that fail for the same kinds of reasons.
func grouped(found []*explain.Explanation) []NodeGroup {
	var groups []NodeGroup
	at := map[string]int{}
	for _, x := range found {
		key, first := reasonsOf(x)
		explanationsTotal.WithLabelValues(first).Inc()
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, NodeGroup{Explanation: x})
		}
		groups[i].Nodes = append(groups[i].Nodes, x.Node)
	}
	slices.SortStableFunc(groups, func(a, b NodeGroup) int {
		return cmp.Or(cmp.Compare(permanent(a.Explanation), permanent(b.Explanation)), cmp.Compare(len(b.Nodes), len(a.Nodes)))
	})
	return groups[:min(len(groups), explainGroups)]
}

// summarize returns a summary of one line. Its numbers are those of the first node of each group.
func (x *PodExplanation) summarize() string {
	explained := ""
	if x.NodesExplained < x.NodesWithoutDevices {
		explained = fmt.Sprintf(" (%d of %d explained)", x.NodesExplained, x.NodesWithoutDevices)
	}
	if len(x.Groups) == 0 {
		return fmt.Sprintf("no devices on %s%s", nodes(x.NodesWithoutDevices), explained)
	}
	most := explainBytes / len(x.Groups)
	var parts []string
	for _, group := range x.Groups {
		what := "no devices on node " + group.Nodes[0]
		if len(group.Nodes) > 1 {
			what = fmt.Sprintf("no devices on %s such as %s", nodes(len(group.Nodes)), group.Nodes[0])
		}
		what += explained + ": "
		explained = ""
		parts = append(parts, what+group.Explanation.Summary(max(most-len(what), most/2)))
	}
	return strings.Join(parts, "; ")
}

func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}
