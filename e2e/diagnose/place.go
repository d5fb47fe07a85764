// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/internal/rules"
)

// ErrNoNode is the error of Pod if the given node does not exist.
var ErrNoNode = errors.New("node does not exist")

// NodeGroup are nodes with the same result for a pod.
type NodeGroup struct {
	Nodes []string `json:"nodes"`
	// Excluded states why the pod may not go to the nodes, whatever devices they have.
	Excluded string `json:"excluded,omitempty"`
	// Available states that the nodes have the devices.
	Available bool `json:"available"`
	// Explanation is that of the first node. It is nil if all claims are allocated already, or the nodes have the
	// devices and the pod may not go there.
	Explanation *explain.Explanation `json:"explanation,omitempty"`
}

// place tries the claims that are not allocated on nodes, and gives the reason.
func (c *Cluster) place(ctx context.Context, p *Pod, only string) error {
	nodes := c.Objects.Nodes
	if only != "" {
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *corev1.Node) bool { return n.Name != only })
		if len(nodes) == 0 {
			return fmt.Errorf("%w: %s", ErrNoNode, only)
		}
	}
	at := map[string]int{}
	for _, node := range nodes {
		group, err := c.onNode(ctx, p, node)
		if err != nil {
			return err
		}
		key := fmt.Sprint(group.Available, group.Excluded, signature(group.Explanation))
		i, known := at[key]
		if !known {
			i = len(p.Nodes)
			at[key] = i
			p.Nodes = append(p.Nodes, group)
			continue
		}
		p.Nodes[i].Nodes = append(p.Nodes[i].Nodes, node.Name)
	}
	slices.SortStableFunc(p.Nodes, func(a, b NodeGroup) int { return a.rank() - b.rank() })
	p.conclude(len(nodes))
	return nil
}

// rank orders groups: those that explain more come first.
func (g *NodeGroup) rank() int {
	switch {
	case g.Available && g.Excluded == "":
		return 0
	case g.Available:
		return 1
	case g.Excluded == "":
		return 2
	}
	return 3
}

func (c *Cluster) onNode(ctx context.Context, p *Pod, node *corev1.Node) (NodeGroup, error) {
	group := NodeGroup{Nodes: []string{node.Name}}
	if elsewhere := p.elsewhere(node); elsewhere != "" {
		group.Excluded = elsewhere
		return group, nil
	}
	group.Excluded = excluded(p.object, node)
	claims := p.unallocated(node)
	if len(claims) == 0 {
		group.Available = true
		return group, nil
	}
	explanation, err := c.allocator.Explain(ctx, node, claims, c.holders)
	if err != nil {
		return group, err
	}
	group.Available = explanation.Outcome == explain.OutcomeFit
	if group.Excluded == "" || !group.Available {
		group.Explanation = explanation
	}
	return group, nil
}

// unallocated returns the claims for which the node needs devices.
func (p *Pod) unallocated(node *corev1.Node) []*resourceapi.ResourceClaim {
	var claims []*resourceapi.ResourceClaim
	for _, claim := range p.claims {
		if claim.Status.Allocation == nil {
			claims = append(claims, claim)
		}
	}
	if p.extended != nil {
		if claim := withoutPlugins(p.extended, node); claim != nil {
			claims = append(claims, claim)
		}
	}
	return claims
}

// elsewhere names a claim whose allocated devices the node cannot use.
func (p *Pod) elsewhere(node *corev1.Node) string {
	for _, claim := range p.claims {
		if claim.Status.Allocation == nil || claim.Status.Allocation.NodeSelector == nil {
			continue
		}
		if matches, err := rules.NodeMatches(claim.Status.Allocation.NodeSelector, node); err != nil || !matches {
			return fmt.Sprintf("claim %s is allocated on other nodes", ClaimName(claim))
		}
	}
	return ""
}

// conclude gives the reason that follows from the nodes.
func (p *Pod) conclude(nodes int) {
	allocated := len(p.unallocated(&corev1.Node{})) == 0
	var best NodeGroup
	if len(p.Nodes) > 0 {
		best = p.Nodes[0]
	}
	names := some(best.Nodes)
	switch {
	case nodes == 0:
		p.because(ReasonNodesExcluded, false, "the cluster has no nodes")
	case allocated && p.waitsForConditions() != "":
		p.because(ReasonWaitsBinding, true, "%s", p.waitsForConditions())
	case allocated && best.rank() == 0:
		p.because(ReasonClaimsHere, false, "all claims are allocated and can be used on %s, which the pod may go to: it waits for something else", names)
	case allocated:
		p.because(ReasonOtherNodes, true, "all claims are allocated, but the pod may not go to a node where they can be used")
	case best.rank() == 0:
		p.because(ReasonAvailable, false, "devices are available on %s: it waits for something else, or the scheduler has not tried it again yet", names)
	case best.Available:
		p.because(ReasonNodesExcluded, false, "devices are available, but only on nodes that the pod may not go to: %s", names)
	default:
		p.because(ReasonNoDevices, true, "none of %s has the devices", count(nodes, "node"))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// waitsForConditions names the first allocated device whose binding conditions are not all true (KEP-5007).
func (p *Pod) waitsForConditions() string {
	for _, claim := range p.claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			r := &claim.Status.Allocation.Devices.Results[i]
			if waits := unmet(r, claim.Status.Devices); len(waits) > 0 {
				return fmt.Sprintf("device %s/%s/%s of claim %s waits for the conditions %s, which its driver or a controller sets",
					r.Driver, r.Pool, r.Device, ClaimName(claim), strings.Join(waits, ", "))
			}
		}
	}
	return ""
}

// unmet returns the binding conditions of a result that the status of its device does not have.
func unmet(r *resourceapi.DeviceRequestAllocationResult, statuses []resourceapi.AllocatedDeviceStatus) []string {
	return slices.DeleteFunc(slices.Clone(r.BindingConditions), func(condition string) bool {
		return slices.ContainsFunc(statuses, func(s resourceapi.AllocatedDeviceStatus) bool {
			same := s.Driver == r.Driver && s.Pool == r.Pool && s.Device == r.Device
			return same && slices.ContainsFunc(s.Conditions, func(c metav1.Condition) bool { return c.Type == condition && c.Status == "True" })
		})
	})
}

// signature is the same for explanations that differ only in devices and amounts.
func signature(x *explain.Explanation) string {
	if x == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprint(&b, x.Outcome, x.Conflict != nil)
	for i := range x.Pools {
		fmt.Fprint(&b, x.Pools[i].Driver, x.Pools[i].Kind)
	}
	for i := range x.Claims {
		fmt.Fprint(&b, ";", x.Claims[i].Error)
		for _, request := range x.Claims[i].Requests {
			fmt.Fprint(&b, ",", request.Error)
			for j := range request.Alternatives {
				a := &request.Alternatives[j]
				fmt.Fprint(&b, "|", a.Error, a.Considered == 0)
				for k := range a.Reasons {
					fmt.Fprint(&b, " ", a.Reasons[k].Kind, a.Reasons[k].Name)
				}
			}
		}
	}
	return b.String()
}
