package change

import (
	"fmt"
	"slices"
	"strings"
)

// Component is a part of Kubernetes that is changed by itself.
type Component string

// The components, in the order of an upgrade.
const (
	APIServer         Component = "apiserver"
	ControllerManager Component = "controller-manager"
	Scheduler         Component = "scheduler"
	Kubelet           Component = "kubelet"
	Proxy             Component = "proxy"
)

// Components are all of them, in the order of an upgrade.
func Components() []Component {
	return []Component{APIServer, ControllerManager, Scheduler, Kubelet, Proxy}
}

// all stands for every component where names are read.
const all = "all"

// ParseComponents reads names of components. None, or the name all, is every component.
func ParseComponents(names ...string) ([]Component, error) {
	var chosen []Component
	for _, name := range names {
		if name == all {
			return Components(), nil
		}
		if err := known(Component(name)); err != nil {
			return nil, err
		}
		chosen = append(chosen, Component(name))
	}
	if len(chosen) == 0 {
		return Components(), nil
	}
	return chosen, nil
}

// ComponentNames are what ParseComponents reads.
func ComponentNames() []string {
	names := []string{all}
	for _, c := range Components() {
		names = append(names, string(c))
	}
	return names
}

func known(c Component) error {
	if slices.Contains(Components(), c) {
		return nil
	}
	return fmt.Errorf("component %q is not known, use one of %s", c, strings.Join(ComponentNames(), ", "))
}

// Static reports whether the component is a static pod of the control plane node.
func (c Component) Static() bool {
	return c == APIServer || c == ControllerManager || c == Scheduler
}

// staticComponents are those that are static pods, in the order of an upgrade.
func staticComponents() []Component {
	return slices.DeleteFunc(Components(), func(c Component) bool { return !c.Static() })
}

// Instance is what a step changes: the kubelet of a node, or one of the other components, which a cluster has one of.
type Instance struct {
	Component Component
	// Node is the node of a kubelet. It is empty for the other components.
	Node string
}

// String is like "kubelet of worker" or "apiserver".
func (i Instance) String() string {
	if i.Node == "" {
		return string(i.Component)
	}
	return string(i.Component) + " of " + i.Node
}
