// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"errors"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// Suite is a run of specs. Its zero value is not usable, see [New].
type Suite struct {
	options Options
	// results has the results of all specs by ID. They have no outcome until
	// the spec has run.
	results map[string]Result
	// byWorkers has the IDs of the specs that other processes have run.
	byWorkers map[string]bool
	n         int // number of started specs
	// failed is set when a result fails the run.
	failed bool
	total  int
	err    error
	// namespaces are the deleted namespaces of specs. The run waits for their
	// removal at the end.
	namespaces []string
	// executions run the journeys, by the ID of their spec.
	executions map[string]*journey.Execution
	// elsewhere has the IDs of the specs that Options.Takes has left to other
	// processes.
	elsewhere map[string]bool
	// decided are the outcomes, with their reasons, that were found out while
	// specs ran. Ginkgo skips these specs.
	decided map[string]Result
	// findings are what the specs of this process found out about capabilities.
	findings env.Findings
	// current is the environment of the spec whose body runs. It is nil between
	// bodies.
	current *env.Env
	// namespace is the namespace of the spec that runs or was run last. It is empty
	// until that spec has one.
	namespace string
	// lost is the error of an API server that does not answer any more. It ends
	// the run.
	lost error
	// cut has the states, in the JUnit report, of the specs that the end of a component
	// of the control plane has cut short, by their IDs.
	cut map[string]types.SpecState
	// signalled is the error if Ginkgo, which handles signals itself, ended the
	// run.
	signalled error
}

// New returns a run of the selected specs. It determines which of them cannot
// run against the target, and why.
func New(o Options) (*Suite, error) {
	if err := Validate(o.Specs); err != nil {
		return nil, err
	}
	o.Process = max(o.Process, 1)
	s := &Suite{
		options: o, results: map[string]Result{}, elsewhere: map[string]bool{}, executions: map[string]*journey.Execution{}, decided: map[string]Result{},
		findings: env.Findings{}, cut: map[string]types.SpecState{},
	}
	for _, spec := range o.Specs {
		s.results[spec.ID] = Result{Spec: spec, Outcome: Skipped, Reason: ExcludedBySelection + " " + o.Selection.String()}
	}
	for _, result := range DryRun(o.Selected, o.Target) {
		s.results[result.Spec.ID] = result
	}
	return s, nil
}

// Runnable returns the selected specs that can run against the target.
func (s *Suite) Runnable() []Spec {
	var runnable []Spec
	for _, spec := range s.options.Specs {
		if s.results[spec.ID].Outcome == "" {
			runnable = append(runnable, spec)
		}
	}
	return runnable
}

// Subject returns the drivers under test.
func (s *Suite) Subject() subject.Subject { return s.options.Subject }

// Run runs the specs that can run, one after the other, and returns the results
// of all specs in their order, without those that [Options.Takes] has left to other
// processes. byWorkers has the results of the specs that
// other processes have run, by ID. Run can be called only once in a process,
// because Ginkgo's specs are global. The error concerns the run itself; failed
// specs are no error. If the run was interrupted, Run returns results in
// addition to the error.
func (s *Suite) Run(ctx context.Context, byWorkers map[string]Result) ([]Result, error) {
	s.add(byWorkers)
	err := errors.Join(s.run(ctx), s.waitForNamespaces(ctx))
	return s.all(), err
}

// RunEach runs several suites in one process, one after the other in any order, and
// returns the results and the error of each as Run does. It writes no JUnit reports, and
// Ginkgo's output goes to the folder of the first suite. It saves tests a process for
// each suite.
func RunEach(ctx context.Context, suites []*Suite) ([][]Result, []error) {
	for _, s := range suites {
		s.add(nil)
		s.register(ctx)
	}
	err := suites[0].runRegistered()
	results, errs := make([][]Result, len(suites)), make([]error, len(suites))
	for i, s := range suites {
		results[i], errs[i] = s.all(), errors.Join(err, s.incomplete(ctx), s.waitForNamespaces(ctx))
	}
	return results, errs
}

// all returns the results of all specs in their order.
func (s *Suite) all() []Result {
	all := make([]Result, 0, len(s.options.Specs))
	for _, spec := range s.options.Specs {
		if !s.elsewhere[spec.ID] {
			all = append(all, s.results[spec.ID])
		}
	}
	return all
}

// waitForNamespaces waits until the namespaces of all specs are removed, unless the
// cluster ends with the run, or cannot remove them. Specs wait themselves for objects that
// hold devices.
func (s *Suite) waitForNamespaces(ctx context.Context) error {
	if s.options.Temporary || EndedIn(ctx) != nil {
		return nil //nolint:nilerr // What is left then is no error of its own.
	}
	return namespaces.WaitForDeleted(context.WithoutCancel(ctx), s.options.Client, s.namespaces, s.options.Timeouts.Deletion)
}

// keepsNamespaces reports whether the namespaces of specs stay until the cluster is
// removed. To delete one takes a cluster longer than many specs take, because it looks
// for objects of each kind. Kubelets would still do work for what remains.
func (s *Suite) keepsNamespaces() bool {
	return s.options.Temporary && s.options.OnlySimulatedNodes != ""
}

// add adds the results of other processes. With FailFast, a failure there ends
// the run before it begins here.
func (s *Suite) add(byWorkers map[string]Result) {
	s.byWorkers = map[string]bool{}
	for id, result := range byWorkers {
		s.results[id], s.byWorkers[id] = result, true
		s.failed = s.failed || result.Fails()
	}
	for _, spec := range s.Runnable() {
		switch {
		case s.byWorkers[spec.ID]:
		case s.failed && s.options.FailFast:
			s.results[spec.ID] = Result{Spec: spec, Outcome: Skipped, Reason: "not run, because an earlier spec failed"}
		default:
			s.total++
		}
	}
}
