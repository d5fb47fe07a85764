// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package suiterun runs a suite against a fake cluster in a separate process,
// for unit tests. Ginkgo's specs are global, so a process can run them only
// once. The time of a run is that of [synctest], unless its case has RealTime: waits
// take no time, and limits do not depend on how busy the machine is.
package suiterun

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// Environment variables of the child process: the name of the case, and the
// directory for the outcome.
const (
	caseEnv = "DRACONFORM_TEST_SUITE_CASE"
	dirEnv  = "DRACONFORM_TEST_SUITE_DIR"
)

// Case is a run of a suite.
type Case struct {
	Cluster fakecluster.Options
	// Change, if set, changes the configuration of the suite and the context of
	// the run.
	Change func(ctx context.Context, c *suite.Options) context.Context
	// Guest, if set, makes the run one among other workloads, with drivers that
	// it did not install. Only the namespace and whether it was given are used.
	Guest *guest.Config
	// RealTime makes the run take as long as its waits. Otherwise, its time passes
	// only while it waits, and begins in the year 2000.
	RealTime bool
}

// Outcome is the result of a run.
type Outcome struct {
	Results []Result
	// Err is the error of the run, if any.
	Err string
	// Progress lists the calls of Started and Finished.
	Progress []string
	// Left are the objects of the run that remain in namespaces.
	Left []string
	// Requests are what the run did in the cluster, each request once.
	Requests []access.Request
	// Namespaces are the namespaces that remain in the cluster.
	Namespaces []string
	// Duration is the duration of the run without the start of the process.
	Duration time.Duration
	// Dir is the directory of the run.
	Dir string `json:"-"`
}

// Result is the result of a spec.
type Result struct {
	ID           string
	Outcome      suite.Outcome
	Reason       string
	Started      time.Time
	Duration     time.Duration
	FailedAt     time.Time
	Namespace    string
	Steps        []suite.Step
	JourneySteps []journey.StepResult
}

// Of returns the result of one spec.
func (o Outcome) Of(id string) Result {
	for _, r := range o.Results {
		if r.ID == id {
			return r
		}
	}
	return Result{}
}

// cases returns the cases of a child process by name. It is nil in other processes.
var cases func(name string) (Case, bool)

// Main is the TestMain of a package whose tests call [Run]. In a child process
// of [Run], it runs the test that started the process until that test calls Run for
// the case of the process.
func Main(m *testing.M, all func(name string) (Case, bool)) {
	if _, isChild := os.LookupEnv(caseEnv); isChild {
		cases = all
	} else if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil { // Runs in real time wait most of the time.
		panic(err)
	}
	os.Exit(m.Run())
}

// Run runs a case in a child process and returns its outcome. env is added to
// the environment of the child. The test fails if the child process fails.
//
// In the child process, which runs the same test, Run runs the case and ends the
// process.
func Run(t *testing.T, name string, env ...string) Outcome {
	t.Helper()
	if cases != nil && name == os.Getenv(caseEnv) {
		runCase(t, name)
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outcome := Outcome{Dir: t.TempDir()}
	cmd := exec.CommandContext(t.Context(), binary, "-test.run="+only(t.Name()))
	// A run ends before it has allocated much, so that the work of collecting garbage
	// frees next to nothing.
	cmd.Env = append(append(os.Environ(), "GOGC=400", caseEnv+"="+name, dirEnv+"="+outcome.Dir), env...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("case %s: %v\n%s", name, err, output)
	}
	content, err := os.ReadFile(filepath.Join(outcome.Dir, outcomeFile))
	if err != nil {
		t.Fatalf("case %s: %v\n%s", name, err, output)
	}
	if err := json.Unmarshal(content, &outcome); err != nil {
		t.Fatal(err)
	}
	return outcome
}

// only returns the pattern of -test.run for one test.
func only(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// runCase runs a case in this process and ends the process.
func runCase(t *testing.T, name string) {
	c, ok := cases(name)
	if !ok {
		fmt.Fprintf(os.Stderr, "there is no case %q\n", name)
		os.Exit(1)
	}
	end := func() {
		if err := child(c, os.Getenv(dirEnv)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if c.RealTime {
		end()
	}
	// Time passes only while all goroutines wait. Limits do therefore not expire
	// because a machine is busy, and waiting takes no time. The goroutine of os/signal
	// waits for the system, and so has to be started before, by the first call.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	synctest.Test(t, func(*testing.T) { end() })
}

const outcomeFile = "outcome.json"

// timeouts are the timeouts of a run. They are long, because they cost time
// only if something fails. Stable must span several polls.
var timeouts = env.Timeouts{PodStart: 30 * time.Second, Unschedulable: 30 * time.Second, Stable: 700 * time.Millisecond, Deletion: 30 * time.Second, Recovery: 30 * time.Second, KubeletRetries: 30 * time.Second}

func child(c Case, dir string) error {
	cluster, err := fakecluster.New(c.Cluster)
	if err != nil {
		return err
	}
	var outcome Outcome
	config := suite.Options{
		Client: cluster.Client(), As: func(user env.User) (kubernetes.Interface, error) { return cluster.As(user.Name, user.Extra), nil },
		Target: env.Target{
			Found: features.Set{
				features.Core: {Present: true}, features.Partitions: {Present: !cluster.WithoutPartitions, Source: "the test says so"},
				features.SharedDevices: {Present: true}, features.PrioritizedList: {Present: true},
				features.AdminAccess: {Present: true}, features.ExtendedResources: {Present: true},
				features.SharingAffinity: {Present: true}, features.DeviceTaints: {Present: true}, features.DeviceTaintRules: {Present: true}, features.DeviceStatus: {Present: true}, features.DeviceHealth: {Present: true},
				features.BindingConditions: {Present: true}, features.StatusAuthorization: {Present: true},
				features.V1beta1: {Present: true}, features.V1beta2: {Present: true},
				features.ListAttributes: {Present: true}, features.DerivedAttributes: {Present: true}, features.CompatibilityGroups: {Present: true}, features.NodeAllocatable: {Present: true}, features.NodeAllocatableScheduling: {Present: true}, features.PoolStatus: {Present: true}, features.OptionalNodeOperations: {Present: true},
				features.WorkloadClaims: {Present: true}, features.WorkloadClaimScheduling: {Present: true},
			},
			Release: "v1.37.1", Workers: cluster.Nodes, Subject: subject.Fakes{MIG: cluster.Driver, WithoutPartitions: cluster.WithoutPartitions, TPU: cluster.TPU, NIC: cluster.NIC}.Subject(),
			Nodes: cluster, ControlPlane: cluster, Metrics: cluster, Drivers: drivers{cluster}, DeviceClasses: true, Agent: cluster.Agent(), SimulatedNodes: true,
		},
		Workload: "workload.example.com/workload:test",
		Labels:   map[string]string{"draconform.dev/run": "test"}, Namespace: "draconform-test",
		Timeouts: timeouts, SpecTimeout: time.Minute, Dir: dir,
		Started: func(s suite.Spec, n, total int) {
			outcome.Progress = append(outcome.Progress, fmt.Sprintf("%d of %d: %s starts", n, total, s.ID))
		},
		Finished: func(r suite.Result, n, total int) {
			outcome.Progress = append(outcome.Progress, fmt.Sprintf("%d of %d: %s %s", n, total, r.Spec.ID, r.Outcome))
		},
	}
	ctx := context.Background()
	if c.Change != nil {
		ctx = c.Change(ctx, &config)
	}
	if config.Selected, err = config.Selection.Select(config.Specs); err != nil {
		return err
	}
	if c.Guest != nil {
		config.Guest = newGuest(*c.Guest, &config)
	}
	run, err := suite.New(config)
	if err != nil {
		return err
	}
	start := time.Now()
	results, runErr := runAndLeave(ctx, run, config.Guest)
	outcome.Duration, outcome.Requests = time.Since(start), cluster.Requests()
	if runErr != nil {
		outcome.Err = runErr.Error()
	}
	for _, r := range results {
		outcome.Results = append(outcome.Results, Result{r.Spec.ID, r.Outcome, r.Reason, r.Started, r.Duration, r.FailedAt, r.Namespace, r.Steps, r.JourneySteps})
	}
	for _, kind := range namespaces.Kinds(config.Client, metav1.NamespaceAll) {
		names, err := kind.List(context.Background(), metav1.ListOptions{LabelSelector: labels.SelectorFromSet(config.Labels).String()})
		if apierrors.IsNotFound(err) {
			continue // The cluster does not have the API.
		}
		if err != nil {
			return err
		}
		for _, name := range names {
			outcome.Left = append(outcome.Left, kind.Name+" "+name.String())
		}
	}
	left, err := config.Client.CoreV1().Namespaces().List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, n := range left.Items {
		outcome.Namespaces = append(outcome.Namespaces, n.Name)
	}
	content, err := json.Marshal(outcome)
	return errors.Join(err, os.WriteFile(filepath.Join(dir, outcomeFile), content, 0o600))
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
