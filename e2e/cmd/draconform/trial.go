// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/diagnose"
)

// trial allocates claims in memory.
type trial struct {
	objects  *state.Objects
	features structured.Features
	index    *allocator.Index
	nodes    []*corev1.Node
	allNodes bool
}

// outcome is the result for the claims of one pod.
type outcome struct {
	Claims []string `json:"claims"`
	// Fits states whether the claims fit on any node.
	Fits bool `json:"fits"`
	// Nodes are the nodes that were tried, in this order.
	Nodes []nodeOutcome `json:"nodes"`
}

// nodeOutcome is the result on a node: an allocation for each claim, or an
// explanation why there is none.
type nodeOutcome struct {
	Node        string                         `json:"node"`
	Allocations []resourceapi.AllocationResult `json:"allocations,omitempty"`
	// Pictures show the pools whose counters an allocation consumes, with the
	// allocated devices.
	Pictures    []explain.Picture    `json:"pictures,omitempty"`
	Explanation *explain.Explanation `json:"explanation,omitempty"`
}

// try tries the claims on the nodes. Unless all nodes are requested, it stops
// at the first node that fits and records the allocations in the claims.
func (t *trial) try(ctx context.Context, claims []*resourceapi.ResourceClaim) (outcome, error) {
	var o outcome
	for _, claim := range claims {
		o.Claims = append(o.Claims, diagnose.ClaimName(claim))
	}
	a := t.index.AllocatorWithAffinity(t.objects.AllocatedState(t.features), allocator.NewAffinityState(t.objects.Claims), t.objects.ClassLister())
	for _, node := range t.nodes {
		tried, err := t.onNode(ctx, a, node, claims)
		if err != nil {
			return o, err
		}
		o.Nodes = append(o.Nodes, tried)
		o.Fits = o.Fits || tried.Allocations != nil
		if tried.Allocations != nil && !t.allNodes {
			for i := range claims {
				claims[i].Status.Allocation = &tried.Allocations[i]
			}
			return o, nil
		}
	}
	return o, nil
}

func (t *trial) onNode(ctx context.Context, a *allocator.Allocator, node *corev1.Node, claims []*resourceapi.ResourceClaim) (nodeOutcome, error) {
	o := nodeOutcome{Node: node.Name}
	results, err := a.Allocate(ctx, node, claims)
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	explanation, explainErr := a.Explain(ctx, node, claims, explain.HoldersOf(t.objects.Claims))
	if explainErr != nil {
		return o, explainErr
	}
	if err == nil && results != nil {
		o.Allocations, o.Pictures = results, explanation.Pictures
	} else {
		o.Explanation = explanation
	}
	return o, nil
}

func printOutcomes(cmd *cobra.Command, outcomes []outcome, output string) error {
	fit := true
	for i := range outcomes {
		fit = fit && outcomes[i].Fits
	}
	done, err := printStructured(cmd, output, outcomes)
	if err != nil {
		return err
	}
	if !done {
		for i := range outcomes {
			fmt.Fprint(cmd.OutOrStdout(), outcomes[i].text())
		}
	}
	if !fit {
		return errNoFit
	}
	return nil
}

// text describes the nodes on which the claims fit. It includes the other nodes
// if no node fits or all nodes are requested.
func (o *outcome) text() string {
	var b strings.Builder
	name := strings.Join(o.Claims, ", ")
	if !o.Fits {
		fmt.Fprintf(&b, "%s: fits on none of %d nodes\n", name, len(o.Nodes))
	}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		switch {
		case n.Allocations != nil:
			fmt.Fprintf(&b, "%s: on node %s\n", name, n.Node)
			for c := range n.Allocations {
				writeAllocation(&b, o.Claims[c], &n.Allocations[c])
			}
			for p := range n.Pictures {
				b.WriteString(indent(n.Pictures[p].String(), "    "))
			}
		case !o.Fits:
			fmt.Fprintf(&b, "  node %s:\n%s", n.Node, indent(fmt.Sprint(n.Explanation), "    "))
		default:
			fmt.Fprintf(&b, "%s: not on node %s\n%s", name, n.Node, indent(fmt.Sprint(n.Explanation), "    "))
		}
	}
	return b.String()
}

func writeAllocation(b *strings.Builder, claim string, allocation *resourceapi.AllocationResult) {
	for i := range allocation.Devices.Results {
		r := &allocation.Devices.Results[i]
		fmt.Fprintf(b, "  %s: %s: %s/%s/%s", claim, r.Request, r.Driver, r.Pool, r.Device)
		if r.AdminAccess != nil && *r.AdminAccess {
			fmt.Fprint(b, " for admin access")
		}
		if r.ShareID != nil {
			fmt.Fprint(b, " shared")
		}
		for _, name := range slices.Sorted(maps.Keys(r.ConsumedCapacity)) {
			value := r.ConsumedCapacity[name]
			fmt.Fprintf(b, " %s=%s", name, &value)
		}
		fmt.Fprintln(b)
	}
}

// indent puts a prefix before each line that is not empty and ends the text
// with a newline.
func indent(text, prefix string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if line != "\n" {
			b.WriteString(prefix)
		}
		b.WriteString(line)
	}
	return b.String()
}
