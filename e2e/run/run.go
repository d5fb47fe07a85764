package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/manifests"
)

// ErrConfig is wrapped by errors about the configuration. Nothing has been
// created in that case.
var ErrConfig = errors.New("wrong configuration")

const (
	// cleanupTimeout limits the removal of what a run created. It also applies
	// to interrupted runs.
	cleanupTimeout = 2 * time.Minute
	// installTimeout limits the wait for the driver on all nodes.
	installTimeout = 2 * time.Minute
	// specTimeout limits one spec. Its waits have shorter limits.
	specTimeout = 10 * time.Minute
	// writeTimeout limits the rendering of pictures of the artifacts of failed
	// specs.
	writeTimeout = time.Minute
)

// Run runs the specs and returns the report, which it also writes into a new
// subdirectory of Config.Dir. The error states why the run could not be
// completed. The verdict is not "passed" in that case.
func Run(ctx context.Context, c Config, specs []suite.Spec) (report.Report, error) {
	p, err := c.check(specs)
	if err != nil {
		return report.Report{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	dir := filepath.Join(c.Dir, p.id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return report.Report{}, fmt.Errorf("make the folder of the run: %w", err)
	}
	p.Progress.Printf("run %s, results in %s", p.id, dir)
	r := &runner{plan: p, dir: dir}
	results, err := r.run(ctx)
	r.report.Verdict = report.Judge(results, p.claims, err)
	r.report.Specs = report.Specs(results, p.started)
	r.report.Run = report.Run{
		ID: p.id, Started: metav1.NewTime(p.started), Duration: metav1.Duration{Duration: time.Since(p.started).Round(time.Second)},
		Version: p.Version, Flags: p.Flags, Selection: p.Selection.String(),
	}
	return r.report, errors.Join(err, r.write(ctx))
}

// write writes the report, the page and the Markdown.
func (r *runner) write(ctx context.Context) error {
	path, err := r.report.Write(r.dir)
	if err != nil {
		return err
	}
	r.Progress.Printf("report: %s", path)
	// The report of an interrupted run is written, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	if err := evidence.Write(ctx, r.dir, r.report, evidence.Judged(r.report)); err != nil {
		return err
	}
	r.Progress.Printf("to read: %s", filepath.Join(r.dir, evidence.PageFile))
	return nil
}

// runner is one run.
type runner struct {
	*plan
	dir    string
	report report.Report
	client kubernetes.Interface
	// wrongPool is the result of [wrongPool] for the cluster.
	wrongPool string
	// finished counts the finished specs. total is the number of specs that
	// run.
	finished, total int
	// stage is the stage of the specs that run in this process. aside is the
	// number of specs that ran in other processes.
	stage *progress.Task
	aside int
}

// cluster is a cluster of a provider.
type cluster interface {
	// create returns the client configuration of the cluster.
	create(ctx context.Context) (*rest.Config, error)
	// logs writes the nodes' logs into a directory, if the provider supports
	// it.
	logs(ctx context.Context, dir string) error
	// remove removes what create created.
	remove(ctx context.Context) error
	// nodes returns access to the nodes, or nil if the run may not access them.
	nodes() operations.Nodes
	// changer returns the changer of the cluster, or nil if the run may not
	// change it.
	changer() operations.Changer
	// owned states that the cluster, and everything in it, is removed with the
	// run.
	owned() bool
	// kubeconfig returns the path of a kubeconfig for the cluster and the
	// context in it.
	kubeconfig() (path, contextName string)
	// describe adds the properties that the provider knows to the report.
	describe(c *report.Cluster)
	// kept describes how to remove what the run keeps.
	kept() string
}

// run creates the cluster, runs the specs, and removes what was created in the
// reverse order of creation.
func (r *runner) run(ctx context.Context) (results []suite.Result, err error) {
	target, err := r.cluster(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r.Keep {
			r.Progress.Printf("%s", target.kept())
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		if removeErr := target.remove(ctx); removeErr != nil {
			err = errors.Join(err, removeErr, fmt.Errorf("something of the run may still be there: remove it with \"draconform clean --run %s\"", r.id))
		}
	}()
	config, err := target.create(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.connect(config); err != nil {
		return nil, err
	}
	if err := r.describe(ctx, target); err != nil {
		return nil, err
	}
	results, err = r.judge(ctx, target)
	if err != nil || report.Judge(results, r.claims, err).Result != report.Passed {
		err = errors.Join(err, r.keepLogs(ctx, target))
	}
	return results, err
}

// describe detects the properties and features of the cluster.
func (r *runner) describe(ctx context.Context, target cluster) error {
	st := r.Progress.Task("look at the cluster")
	described, err := report.Describe(ctx, r.client)
	if err != nil {
		return st.Fail(err)
	}
	target.describe(&described)
	r.report.Cluster = described
	if r.report.Features, err = features.Detect(ctx, r.client, r.known(described, r.sharingAffinity()), r.overrides); err != nil {
		return st.Fail(err)
	}
	if r.report.Features[features.Core].Present {
		if r.wrongPool, err = wrongPool(ctx, r.client); err != nil {
			return st.Fail(err)
		}
	}
	st.Done(fmt.Sprintf("%d workers, features %v", described.Workers, r.report.Features.Names()))
	if overridden := r.report.Features.Overridden(); len(overridden) > 0 {
		r.Progress.Printf("   features that were declared, not found: %s", strings.Join(overridden, ", "))
	}
	return nil
}

// known returns the properties of a cluster that follow from its description.
func (r *runner) known(described report.Cluster, affinity features.Presence) features.Known {
	return features.Known{Gates: described.Gates, SharingAffinity: affinity, Server: described.Release(), Scheduler: r.scheduler(described)}
}

// scheduler returns the release of the pods' scheduler if it is the cluster's
// own.
func (r *runner) scheduler(described report.Cluster) string {
	if r.SchedulerName != "" {
		return ""
	}
	return described.Oldest("kube-scheduler")
}

// sharingAffinity reports whether the pods' scheduler is the bundled one.
func (r *runner) sharingAffinity() features.Presence {
	switch {
	case r.SchedulerName == manifests.SchedulerName:
		return features.Presence{Present: true, Source: "the pods' scheduler is called " + r.SchedulerName}
	case (r.Provider == Kind || r.KindCluster != "") && r.Scheduler == kind.DraconformScheduler && r.SchedulerName == "":
		return features.Presence{Present: true, Source: "the cluster's scheduler is the bundled one"}
	}
	return features.Presence{Source: "only the bundled scheduler has it"}
}

func (r *runner) labels() map[string]string { return map[string]string{engine.RunLabel: r.id} }

// removeNamespace removes a namespace and waits until it is gone.
func (r *runner) removeNamespace(ctx context.Context, name string) error {
	st := r.Progress.Task("remove namespace %s", name)
	namespaces := r.client.CoreV1().Namespaces()
	if err := namespaces.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return st.Fail(fmt.Errorf("remove namespace %s: %w", name, err))
	}
	err := wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := namespaces.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
	if err != nil {
		return st.Fail(fmt.Errorf("wait until namespace %s is gone: %w", name, err))
	}
	st.Done("")
	return nil
}

// keepLogs writes the nodes' logs next to the report of a run that did not
// pass.
func (r *runner) keepLogs(ctx context.Context, target cluster) error {
	st := r.Progress.Task("keep the nodes' logs")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	if err := target.logs(ctx, filepath.Join(r.dir, "nodes")); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}
