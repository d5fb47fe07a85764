// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package access has the rights that a run needs in an existing cluster, as data:
// roles are generated from it, a check asks for it, and tests compare it with what
// runs do.
package access

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// Run is what the rights of a run depend on.
type Run struct {
	// Namespace is the given namespace. Empty means that the run creates one.
	Namespace string
	// Drivers are the judged drivers. Fakes is set if the run installs the fake
	// drivers instead.
	Drivers []*driverfile.Driver
	Fakes   bool
	// NodeAgent is set if the run installs node agents, and SimulateNodes if its
	// specs create simulated nodes.
	NodeAgent, SimulateNodes bool
	// Clean is set for the removal of what runs have left, instead of a run. With
	// Namespace it is limited to that namespace.
	Clean bool
}

// Right is the right to do one thing.
type Right struct {
	Verb string
	// Group and Resource are empty for a URL. Resource includes the subresource,
	// such as pods/log.
	Group, Resource string
	// Namespace is the only namespace that the right is for. It is empty for all
	// namespaces and for cluster-scoped resources.
	Namespace string
	// URL is a path of the API server that is no resource.
	URL string
	// For is what a run does with the right.
	For string
	// Optional states that a run without the right only finds out less.
	Optional bool
}

func (r Right) String() string {
	what := r.URL
	if what == "" {
		what = strings.TrimSuffix(r.Resource+"."+r.Group, ".")
	}
	if r.Namespace != "" {
		what += " in namespace " + r.Namespace
	}
	return r.Verb + " " + what
}

// rule is an entry of rights.yaml, which documents the fields.
type rule struct {
	For       string   `json:"for"`
	When      string   `json:"when"`
	Scope     string   `json:"scope"`
	Group     string   `json:"group"`
	Resources []string `json:"resources"`
	URLs      []string `json:"urls"`
	Verbs     []string `json:"verbs"`
	Optional  bool     `json:"optional"`
}

//go:embed rights.yaml
var rightsFile []byte

// rules are the entries of rights.yaml.
var rules = func() []rule {
	var all []rule
	if err := yaml.UnmarshalStrict(rightsFile, &all); err != nil {
		panic(fmt.Sprintf("rights.yaml: %v", err))
	}
	return all
}()

// Rights returns the rights that a run needs, without duplicates, in the order
// of rights.yaml.
func (r Run) Rights() []Right {
	var all []Right
	for _, rule := range rules {
		for _, namespace := range r.namespaces(rule) {
			for _, right := range rule.rights(namespace) {
				if !slices.ContainsFunc(all, func(known Right) bool { return known.covers(right) }) {
					all = append(all, right)
				}
			}
		}
	}
	return all
}

// covers reports whether a right includes another one.
func (r Right) covers(other Right) bool {
	return r.Verb == other.Verb && r.Group == other.Group && r.Resource == other.Resource && r.URL == other.URL && (r.Namespace == "" || r.Namespace == other.Namespace)
}

func (r rule) rights(namespace string) []Right {
	var all []Right
	for _, verb := range r.Verbs {
		for _, resource := range r.Resources {
			all = append(all, Right{Verb: verb, Group: r.Group, Resource: resource, Namespace: namespace, For: r.For, Optional: r.Optional})
		}
		for _, url := range r.URLs {
			all = append(all, Right{Verb: verb, URL: url, For: r.For, Optional: r.Optional})
		}
	}
	return all
}

// namespaces returns the namespaces that a rule applies to in this run. An empty
// one stands for the cluster.
func (r Run) namespaces(rule rule) []string {
	switch {
	case rule.Scope == "driver":
		return r.driverNamespaces(rule.When)
	case !r.needs(rule.When):
		return nil
	case rule.Scope == "run":
		return []string{r.Namespace}
	}
	return []string{""}
}

// needs reports whether a condition of rules is met. Those about the DaemonSets
// of drivers are in allows.
func (r Run) needs(when string) bool {
	if ofClean := when == "clean" || when == "clean-cluster"; r.Clean || ofClean {
		return r.Clean && ofClean && (when == "clean" || r.Namespace == "")
	}
	switch when {
	case "own-namespace":
		return r.Namespace == ""
	case "given-namespace":
		return r.Namespace != ""
	case "inline-class":
		s, err := subject.Of(r.Drivers...)
		return err == nil && len(s.Classes) > 0
	case "withdrawn-label":
		return slices.ContainsFunc(r.Drivers, func(d *driverfile.Driver) bool {
			return d.Roles.MultiHost != nil && d.Roles.MultiHost.Withdrawn != nil
		})
	case "claims-in-use":
		return !r.Fakes // These report it themselves. Others are asked for in any case.
	case "fakes":
		return r.Fakes
	case "node-agent":
		return r.NodeAgent
	case "simulate-nodes":
		return r.SimulateNodes
	}
	return true // always
}

// driverNamespaces returns the namespaces of the drivers whose files meet a
// condition.
func (r Run) driverNamespaces(when string) []string {
	var names []string
	for _, d := range r.Drivers {
		if d.DaemonSet != nil && allows(d, when) {
			names = append(names, d.DaemonSet.Namespace)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func allows(d *driverfile.Driver, when string) bool {
	switch when {
	case "restart":
		return d.Allow.Restart
	case "update":
		return d.Allow.Update != nil
	case "logs":
		return d.Allow.Logs
	}
	return true // daemon-set
}
