// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/job/results"
	"github.com/draconform/draconform/e2e/run"
)

// Client runs Jobs in a cluster.
type Client struct {
	Kubernetes kubernetes.Interface
	// Config is the configuration of the client, to connect to pods.
	Config *rest.Config
	// Progress reports progress, and the log of the run. Nil disables it.
	Progress *progress.Reporter

	// openLog and connect replace what clients for tests cannot do.
	openLog func(context.Context, *corev1.Pod, *corev1.PodLogOptions) (io.ReadCloser, error)
	connect func(*corev1.Pod, int) (net.Conn, error)
}

// DefaultStartTimeout is the default of [RunOptions].StartTimeout.
const DefaultStartTimeout = 5 * time.Minute

const (
	// farewellTimeout limits the end of an interrupted run: its cleanup within
	// the grace period of the pod, and the transfer of its results.
	farewellTimeout = 12 * time.Minute
	// reasonTimeout limits the request for the reason of a failure.
	reasonTimeout = 10 * time.Second
	// removeTimeout limits the removal of namespaces.
	removeTimeout = 2 * time.Minute
)

// RunOptions describe a Job and how it is run.
type RunOptions struct {
	Options
	// Artifacts is the directory in which the folder of the run is created.
	Artifacts string
	// StartTimeout limits the time until the run starts. Default: 5 minutes.
	StartTimeout time.Duration
	// Keep keeps the objects of the Job.
	Keep bool
}

// Result is what a run in a pod has left.
type Result struct {
	// Folder is the folder of the run. It is empty if the results could not be
	// fetched.
	Folder string
	// ExitCode is the exit status of the run, or -1 if it is not known.
	ExitCode int
}

// Run creates a Job, prints the log of its run, fetches the results and removes
// the Job. If the context ends, the run is terminated: it then removes what it
// has created, and its results are fetched, too. If the results of a complete run
// cannot be fetched, the Job is kept, and the error has the command that fetches
// them.
func (c Client) Run(ctx context.Context, o RunOptions) (result Result, err error) {
	result.ExitCode = -1
	objects, err := Objects(o.Options)
	if err != nil {
		return result, fmt.Errorf("%w: %w", run.ErrConfig, err)
	}
	keep := o.Keep
	defer func() {
		if !keep {
			err = errors.Join(err, c.remove(ctx, o.RunID))
		}
	}()
	var job *batchv1.Job
	for _, object := range objects {
		if err := create(ctx, c.Kubernetes, object); err != nil {
			return result, err
		}
		if created, ok := object.(*batchv1.Job); ok {
			job = created
		}
	}
	if job, err = c.Kubernetes.BatchV1().Jobs(job.Namespace).Get(ctx, job.Name, metav1.GetOptions{}); err != nil {
		return result, fmt.Errorf("get the created job: %w", err)
	}
	pod, err := c.waitForStart(ctx, job, cmp.Or(o.StartTimeout, DefaultStartTimeout))
	if err != nil {
		return result, err
	}
	result, err = c.complete(ctx, job, pod, o.Artifacts)
	if err != nil && result.Folder == "" && result.ExitCode >= 0 && ctx.Err() == nil {
		keep = true
		err = fmt.Errorf("%w\nthe Job is kept for %s: \"draconform job fetch %s --namespace %s\" tries again, \"draconform clean --provider existing --run %s\" removes it",
			err, cmp.Or(o.Hold, DefaultHold), job.Name, job.Namespace, o.RunID)
	}
	return result, err
}

// Fetch waits until the run of a Job has ended and fetches its results, as Run
// does. It does not remove the Job.
func (c Client) Fetch(ctx context.Context, namespace, name, artifacts string) (Result, error) {
	result := Result{ExitCode: -1}
	job, err := c.Kubernetes.BatchV1().Jobs(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return result, fmt.Errorf("get job %s: %w", name, err)
	}
	if job.Labels[nameLabel] != nameValue || job.Labels[engine.RunLabel] == "" {
		return result, fmt.Errorf("job %s/%s is not one of \"draconform job\"", namespace, name)
	}
	pod, err := c.waitForStart(ctx, job, DefaultStartTimeout)
	if err != nil {
		return result, err
	}
	return c.complete(ctx, job, pod, artifacts)
}

// complete prints the log of a run until it ends and fetches its results. If the
// context ends, it terminates the run.
func (c Client) complete(ctx context.Context, job *batchv1.Job, pod *corev1.Pod, artifacts string) (Result, error) {
	result := Result{ExitCode: -1}
	log := follower{client: c, pod: pod}
	ended, err := log.wait(ctx)
	if ctx.Err() != nil {
		c.Progress.Printf("interrupted: the run is terminated and removes what it has created")
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(context.WithoutCancel(ctx), farewellTimeout, fmt.Errorf("the run has not ended %s after it was terminated", farewellTimeout))
		defer cancel()
		if err := c.terminate(ctx, job); err != nil {
			return result, err
		}
		ended, err = log.wait(ctx)
	}
	if err != nil {
		return result, errors.Join(err, c.whyEnded(ctx, job))
	}
	if ended != nil {
		result.ExitCode = int(ended.ExitCode)
	}
	if served := stateOf(log.pod, resultsContainer); served != nil && served.Terminated != nil {
		return result, errors.Join(killed(ended), errors.New("the pod no longer has the results: they were fetched before, or not within the time of --hold"))
	}
	if result.Folder, err = c.fetch(ctx, pod, artifacts, job.Labels[engine.RunLabel]); err != nil {
		err = fmt.Errorf("fetch the results of the run: %w", err)
	}
	return result, errors.Join(killed(ended), err)
}

// killed returns an error if the run was killed.
func killed(ended *corev1.ContainerStateTerminated) error {
	if ended == nil || ended.ExitCode >= 0 && ended.ExitCode <= 2 {
		return nil
	}
	if ended.Reason == "OOMKilled" {
		return errors.New("the run was killed because it needs more memory than its limit: raise --memory")
	}
	return fmt.Errorf("the run ended with exit status %d: %s %s", ended.ExitCode, ended.Reason, ended.Message)
}

// whyEnded returns the reason why a Job has failed, if there is one.
func (c Client) whyEnded(ctx context.Context, job *batchv1.Job) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reasonTimeout)
	defer cancel()
	got, err := c.Kubernetes.BatchV1().Jobs(job.Namespace).Get(ctx, job.Name, metav1.GetOptions{})
	if err != nil {
		return nil // The caller has an error already, and a deleted Job is no news.
	}
	if why := endOf(got); why != "" {
		return fmt.Errorf("the Job has failed: %s", why)
	}
	return nil
}

// terminate deletes a Job, so that its pod is terminated, and does not wait for
// that.
func (c Client) terminate(ctx context.Context, job *batchv1.Job) error {
	options := metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(job.UID)), PropagationPolicy: ptr.To(metav1.DeletePropagationForeground),
	}
	if err := c.Kubernetes.BatchV1().Jobs(job.Namespace).Delete(ctx, job.Name, options); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("terminate the run: delete job %s: %w", job.Name, err)
	}
	return nil
}

// fetch fetches the results from a pod. It tries several times, because the
// connection depends on the network.
func (c Client) fetch(ctx context.Context, pod *corev1.Pod, artifacts, id string) (folder string, err error) {
	st := c.Progress.Task("fetch the results")
	dial := func(context.Context) (net.Conn, error) { return c.dial(pod, results.Port) }
	backoff := wait.Backoff{Duration: 2 * time.Second, Factor: 2, Steps: 4}
	_ = wait.ExponentialBackoffWithContext(ctx, backoff, func(ctx context.Context) (bool, error) {
		folder, err = results.Fetch(ctx, dial, artifacts, id)
		return folder != "" || errors.Is(err, fs.ErrExist), nil
	})
	if folder == "" {
		return "", st.Fail(errors.Join(err, context.Cause(ctx)))
	}
	// Without the confirmation, the pod only ends later.
	st.Done(folder)
	return folder, nil
}

// remove removes everything with the label of a run: the Job, and what a run that
// was killed has left. It waits until the namespaces are gone.
func (c Client) remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewellTimeout+removeTimeout)
	defer cancel()
	err := run.CleanConfig{RunID: id, Progress: c.Progress}.CleanCluster(ctx, c.Kubernetes)
	if err == nil {
		err = c.waitUntilRemoved(ctx, id)
	}
	if err != nil {
		return errors.Join(err, fmt.Errorf("objects of the run may remain: delete them with \"draconform clean --provider existing --run %s\"", id))
	}
	return nil
}

func (c Client) waitUntilRemoved(ctx context.Context, id string) error {
	err := wait.PollUntilContextTimeout(ctx, pollInterval, removeTimeout, true, func(ctx context.Context) (bool, error) {
		left, err := c.Kubernetes.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: engine.RunLabel + "=" + id})
		return err == nil && len(left.Items) == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait until the namespaces of the run are gone: %w", err)
	}
	return nil
}
