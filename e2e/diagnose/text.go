// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"
	"strings"
)

// String describes the pod in several lines, with the pictures of the explanations.
func (p *Pod) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pod %s/%s: %s\n", p.Namespace, p.Name, p.Reason)
	fmt.Fprintf(&b, "  %s\n", p.Message)
	for _, reported := range p.Reported {
		fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(strings.TrimSpace(reported), "\n", "\n    "))
	}
	for i := range p.Claims {
		b.WriteString(p.Claims[i].text())
	}
	for i := range p.Nodes {
		b.WriteString(p.Nodes[i].text())
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

func (c *Claim) text() string {
	line := "claim"
	if c.Name != "" {
		line += " " + c.Name
	}
	if c.Claim != "" {
		line += " (" + c.Claim + ")"
	}
	line += ": " + c.State
	if len(c.Allocated) > 0 {
		line += ": " + some(c.Allocated)
	}
	return line + "\n"
}

func (g *NodeGroup) text() string {
	names := "node " + g.Nodes[0]
	if len(g.Nodes) > 1 {
		names = fmt.Sprintf("%d nodes, %s", len(g.Nodes), some(g.Nodes))
	}
	switch {
	case g.Excluded != "" && g.Available:
		return fmt.Sprintf("%s: has the devices, but %s\n", names, g.Excluded)
	case g.Excluded != "" && g.Explanation != nil:
		return fmt.Sprintf("%s: %s; besides\n", names, g.Excluded) + indent(g.Explanation.String(), "  ")
	case g.Excluded != "":
		return fmt.Sprintf("%s: %s\n", names, g.Excluded)
	case g.Explanation == nil:
		return fmt.Sprintf("%s: can use the claims\n", names)
	}
	if len(g.Nodes) > 1 {
		names += ", such as"
	}
	return names + ":\n" + indent(g.Explanation.String(), "  ")
}

// indent puts a prefix before each line.
func indent(text, prefix string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(prefix + line)
	}
	return b.String()
}
