// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suiterun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// timeouts are the timeouts of a run. They are long, because they cost time
// only if something fails. Stable must span several polls.
var timeouts = env.Timeouts{PodStart: 30 * time.Second, Unschedulable: 30 * time.Second, Response: 30 * time.Second, Stable: 700 * time.Millisecond, Deletion: 30 * time.Second, Recovery: 30 * time.Second, KubeletRetries: 30 * time.Second, HealthExpiry: 2 * time.Second, SliceRemoval: 2 * time.Second}

// run is the run of a case.
type run struct {
	Case
	cluster *fakecluster.Cluster
	options suite.Options
	suite   *suite.Suite
	outcome Outcome
}

// runAll runs cases and returns their outcomes.
func runAll(all []Case, dir string) ([]Outcome, error) {
	var runs []*run
	var suites []*suite.Suite
	ctx := context.Background()
	for i, c := range all {
		r, changed, err := prepare(ctx, c, dirOf(dir, i))
		if err != nil {
			return nil, err
		}
		if len(all) == 1 {
			return r.alone(changed)
		}
		if changed != ctx || c.RealTime || c.Guest != nil {
			return nil, errors.New("a case with a context of its own, with real time or with a guest cannot be in a batch")
		}
		runs, suites = append(runs, r), append(suites, r.suite)
	}
	results, errs := suite.RunEach(ctx, suites)
	outcomes := make([]Outcome, 0, len(all))
	for i, r := range runs {
		if err := r.end(ctx, results[i], errs[i]); err != nil {
			return nil, err
		}
		outcomes = append(outcomes, r.outcome)
	}
	return outcomes, nil
}

// prepare returns the run of a case and its context.
func prepare(ctx context.Context, c Case, dir string) (*run, context.Context, error) {
	cluster, err := fakecluster.New(c.Cluster)
	if err != nil {
		return nil, nil, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, nil, err
	}
	r := &run{Case: c, cluster: cluster}
	r.setOptions(dir)
	if c.Change != nil {
		ctx = c.Change(ctx, &r.options)
	}
	if r.options.Selected, err = r.options.Selection.Select(r.options.Specs); err != nil {
		return nil, nil, err
	}
	if c.Guest != nil {
		r.options.Guest = newGuest(*c.Guest, &r.options)
	}
	r.suite, err = suite.New(r.options)
	return r, ctx, err
}

// setOptions sets the options of a suite that is run by the owner of the cluster.
func (r *run) setOptions(dir string) {
	cluster := r.cluster
	r.options = suite.Options{
		Client: cluster.Client(), As: func(user env.User) (kubernetes.Interface, error) {
			return cluster.As(user.Name, user.Groups, user.Extra), nil
		},
		Target: env.Target{
			Found: features.Set{
				features.Core: {Present: true}, features.Partitions: {Present: !cluster.WithoutPartitions, Source: "the test says so"},
				features.SharedDevices: {Present: true}, features.PrioritizedList: {Present: true},
				features.AdminAccess: {Present: true}, features.ExtendedResources: {Present: true},
				features.SharingAffinity: {Present: true}, features.DeviceTaints: {Present: true}, features.DeviceTaintRules: {Present: true}, features.DeviceStatus: {Present: true}, features.DeviceHealth: {Present: true}, features.DeviceHealthMessage: {Present: true},
				features.BindingConditions: {Present: true}, features.StatusAuthorization: {Present: true},
				features.V1beta1: {Present: true}, features.V1beta2: {Present: true},
				features.ListAttributes: {Present: true}, features.DerivedAttributes: {Present: true}, features.CompatibilityGroups: {Present: true}, features.NodeAllocatable: {Present: true}, features.NodeAllocatableScheduling: {Present: true}, features.PoolStatus: {Present: true}, features.PartitionTypes: {Present: true}, features.FractionalRanges: {Present: true}, features.OptionalNodeOperations: {Present: true},
				features.WorkloadClaims: {Present: true}, features.WorkloadClaimScheduling: {Present: true},
			},
			Release: "v1.37.1", Scheduler: "v1.37.1", Workers: cluster.Nodes, Subject: subject.Fakes{MIG: cluster.Driver, WithoutPartitions: cluster.WithoutPartitions, TPU: cluster.TPU, NIC: cluster.NIC}.Subject(),
			Nodes: cluster, ControlPlane: cluster, Metrics: cluster, Drivers: drivers{cluster}, DeviceClasses: true, Agent: cluster.Agent(), SimulatedNodes: true, ForeignScheduler: cluster.ForeignScheduler,
		},
		Workload: "workload.example.com/workload:test",
		Labels:   map[string]string{"draconform.dev/run": "test"}, Namespace: "draconform-test",
		Timeouts: timeouts, SpecTimeout: time.Minute, Dir: dir,
		Started: func(s suite.Spec, n, total int) {
			r.outcome.Progress = append(r.outcome.Progress, fmt.Sprintf("%d of %d: %s starts", n, total, s.ID))
		},
		Finished: func(result suite.Result, n, total int) {
			r.outcome.Progress = append(r.outcome.Progress, fmt.Sprintf("%d of %d: %s %s", n, total, result.Spec.ID, result.Outcome))
		},
	}
}

// alone runs a case without others.
func (r *run) alone(ctx context.Context) ([]Outcome, error) {
	start := time.Now()
	results, runErr := runAndLeave(ctx, r.suite, r.options.Guest)
	r.outcome.Duration = time.Since(start)
	err := r.end(ctx, results, runErr)
	return []Outcome{r.outcome}, err
}

// end completes the outcome of a run by its results, its error, and what it left in the
// cluster.
func (r *run) end(ctx context.Context, results []suite.Result, runErr error) error {
	if err := r.cluster.Err(); err != nil {
		return err
	}
	r.outcome.Requests = r.cluster.Requests()
	if runErr != nil {
		r.outcome.Err = runErr.Error()
	}
	for _, result := range results {
		r.outcome.Results = append(r.outcome.Results, Result{result.Spec.ID, result.Outcome, result.Reason, result.Started, result.Duration, result.FailedAt, result.Namespace, result.Steps, result.JourneySteps})
	}
	for _, kind := range namespaces.Kinds(r.options.Client, metav1.NamespaceAll) {
		names, err := kind.List(context.WithoutCancel(ctx), metav1.ListOptions{LabelSelector: labels.SelectorFromSet(r.options.Labels).String()})
		if apierrors.IsNotFound(err) {
			continue // The cluster does not have the API.
		}
		if err != nil {
			return err
		}
		for _, name := range names {
			r.outcome.Left = append(r.outcome.Left, kind.Name+" "+name.String())
		}
	}
	left, err := r.options.Client.CoreV1().Namespaces().List(context.WithoutCancel(ctx), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, n := range left.Items {
		r.outcome.Namespaces = append(r.outcome.Namespaces, n.Name)
	}
	return nil
}

// newGuest changes the options of a suite to those of a run among other
// workloads, which cannot control anything.
func newGuest(c guest.Config, o *suite.Options) *guest.Guest {
	o.Nodes, o.ControlPlane, o.Metrics, o.Drivers, o.DeviceClasses, o.SimulatedNodes = nil, nil, nil, nil, false, false
	o.GivenNamespace = c.Given
	c.Client, c.Labels, c.RunID, c.Subject = o.Client, o.Labels, "test", o.Subject
	c.Workload, c.Scheduler, c.Timeouts = o.Workload, o.Scheduler, o.Timeouts
	return guest.New(c)
}

// runAndLeave runs a suite. A guest enters the cluster before and leaves it
// afterwards.
func runAndLeave(ctx context.Context, run *suite.Suite, among *guest.Guest) ([]suite.Result, error) {
	if among == nil {
		return run.Run(ctx, nil)
	}
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	if err := errors.Join(among.Open(ctx, lost), among.CheckAdmission(ctx)); err != nil {
		return nil, err
	}
	results, err := run.Run(ctx, nil)
	return results, errors.Join(err, among.Close(context.WithoutCancel(ctx)))
}
