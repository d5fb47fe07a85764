package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
)

// Running is what one instance runs.
type Running struct {
	Instance
	// Release is the one that the instance is of. Where the scheduler is draconform's, it is the one that it emulates.
	// Its exact version need not be the supported one.
	Release clusters.Release
	// Gates are those of the instance's configuration.
	Gates gates.Set
	// Scheduler is kind.KubeScheduler or kind.DraconformScheduler; empty for other components.
	Scheduler string
	// Stopped says that Stop stopped it. A change of what is stopped starts it.
	Stopped bool
	// Unsettled says why the instance is not known to run what it is configured with, as after a change that was
	// interrupted; then it is not known to run well either. Empty if it does.
	Unsettled string
	// Silent says of an API server that it does not answer. What only it knows is not in the state then.
	Silent bool
}

// same reports whether both run the same, if they run.
func (r Running) same(other Running) bool {
	return r.Release == other.Release && r.Gates.Equal(other.Gates) && r.Scheduler == other.Scheduler
}

// State is what the components of a cluster run: the instances in the order of an upgrade, kubelets in the order of their
// nodes' names. Without an API server that answers it lacks the proxy.
type State []Running

// Of returns what an instance runs; false if there is no such instance.
func (s State) Of(i Instance) (Running, bool) {
	at := s.index(i)
	if at < 0 {
		return Running{}, false
	}
	return s[at], true
}

func (s State) index(i Instance) int {
	return slices.IndexFunc(s, func(r Running) bool { return r.Instance == i })
}

// silent reports whether there is no API server that answers.
func (s State) silent() bool {
	return slices.ContainsFunc(s, func(r Running) bool { return r.Silent })
}

// with returns the state in which one instance runs something else.
func (s State) with(r Running) State {
	changed := slices.Clone(s)
	changed[s.index(r.Instance)] = r
	return changed
}

// nodes are the names of the nodes.
func (s State) nodes() []string {
	var names []string
	for _, r := range s {
		if r.Component == Kubelet {
			names = append(names, r.Node)
		}
	}
	return names
}

// apiServer is what everything else is measured by. A state without one is not of a cluster.
func (s State) apiServer() (Running, error) {
	r, ok := s.Of(Instance{Component: APIServer})
	if !ok {
		return Running{}, fmt.Errorf("the state has no API server, only %s", strings.Join(s.nodes(), ", "))
	}
	return r, nil
}
