// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package skew

import (
	"fmt"
	"slices"
	"strings"
)

// Component is a component of Kubernetes that can be changed separately.
type Component string

// The components, in the order of an upgrade.
const (
	APIServer         Component = "apiserver"
	ControllerManager Component = "controller-manager"
	Scheduler         Component = "scheduler"
	Kubelet           Component = "kubelet"
	Proxy             Component = "proxy"
)

// Components returns all components, in the order of an upgrade.
func Components() []Component {
	return []Component{APIServer, ControllerManager, Scheduler, Kubelet, Proxy}
}

// all is the name that represents every component.
const all = "all"

// ParseComponents parses names of components. No names, or the name all, select
// every component.
func ParseComponents(names ...string) ([]Component, error) {
	var chosen []Component
	for _, name := range names {
		if name == all {
			return Components(), nil
		}
		if err := CheckComponent(Component(name)); err != nil {
			return nil, err
		}
		chosen = append(chosen, Component(name))
	}
	if len(chosen) == 0 {
		return Components(), nil
	}
	return chosen, nil
}

// ComponentNames returns the names that ParseComponents accepts.
func ComponentNames() []string {
	names := []string{all}
	for _, c := range Components() {
		names = append(names, string(c))
	}
	return names
}

// CheckComponent returns an error if the component is not known.
func CheckComponent(c Component) error {
	if slices.Contains(Components(), c) {
		return nil
	}
	return fmt.Errorf("component %q is not known, use one of %s", c, strings.Join(ComponentNames(), ", "))
}

// Static reports whether the component is a static pod of the control plane node.
func (c Component) Static() bool {
	return c == APIServer || c == ControllerManager || c == Scheduler
}

// StaticComponents returns the components that are static pods, in the order of
// an upgrade.
func StaticComponents() []Component {
	return slices.DeleteFunc(Components(), func(c Component) bool { return !c.Static() })
}

// Instance is the target of a step: the kubelet of a node, or one of the other
// components. A cluster has one instance of each of those.
type Instance struct {
	Component Component
	// Node is the node of a kubelet. It is empty for the other components.
	Node string
}

// String returns for example "kubelet of worker" or "apiserver".
func (i Instance) String() string {
	if i.Node == "" {
		return string(i.Component)
	}
	return string(i.Component) + " of " + i.Node
}
