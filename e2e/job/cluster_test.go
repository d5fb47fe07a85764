// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/job/results"
)

// cluster is a cluster in memory with the controllers that a Job needs: each Job
// gets one pod with the given status, and the objects of the Job are deleted with
// its namespace. The pod's container "results" serves a directory.
type cluster struct {
	*fake.Clientset
	Client
	t   *testing.T
	out *bytes.Buffer
	// status is the status of the Job's pod. Without a phase, it is not
	// created.
	status corev1.PodStatus
	// logs are the successive answers to requests for the log.
	logs []string
	// results is the directory for results in the pod.
	results string
	// atLog is called when the log is requested.
	atLog func()
}

// newCluster returns a cluster whose pods run.
func newCluster(t *testing.T, objects ...runtime.Object) *cluster {
	c := &cluster{Clientset: fake.NewClientset(objects...), t: t, out: &bytes.Buffer{}, results: t.TempDir(), status: running()}
	c.Client = Client{Kubernetes: c.Clientset, Progress: progress.New(c.out), openLog: c.serveLog, connect: c.connectToPod}
	c.PrependReactor("create", "jobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
		job := action.(clienttesting.CreateAction).GetObject().(*batchv1.Job)
		job.UID = "uid-of-the-job"
		if c.status.Phase != "" {
			NewWithT(t).Expect(c.Tracker().Create(corev1.SchemeGroupVersion.WithResource("pods"), podOf(job, c.status), job.Namespace)).To(Succeed())
		}
		return false, nil, nil
	})
	c.PrependReactor("delete", "namespaces", func(action clienttesting.Action) (bool, runtime.Object, error) {
		name := action.(clienttesting.DeleteAction).GetName()
		for _, resource := range []string{"serviceaccounts", "configmaps"} {
			// It may not have been created.
			_ = c.Tracker().Delete(corev1.SchemeGroupVersion.WithResource(resource), name, name)
		}
		return false, nil, nil
	})
	return c
}

// createJob creates a Job and returns it as it is stored.
func (c *cluster) createJob() *batchv1.Job {
	g := NewWithT(c.t)
	job := jobOf(c.t, Options{RunID: testID})
	g.Expect(create(c.t.Context(), c.Clientset, job)).To(Succeed())
	stored, err := c.BatchV1().Jobs(job.Namespace).Get(c.t.Context(), job.Name, metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	return stored
}

func podOf(job *batchv1.Job, status corev1.PodStatus) *corev1.Pod {
	labels := map[string]string{batchv1.JobNameLabel: job.Name}
	maps.Copy(labels, job.Spec.Template.Labels)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: job.Namespace, Name: job.Name + "-x", UID: "uid-of-the-pod", Labels: labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec:   corev1.PodSpec{NodeName: "n1"},
		Status: status,
	}
}

// statusWith returns the status of a pod whose run is in a state.
func statusWith(phase corev1.PodPhase, state corev1.ContainerState) corev1.PodStatus {
	return corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{Name: runContainer, State: state}}}
}

func running() corev1.PodStatus {
	return statusWith(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
}

func waiting(reason, message string) corev1.PodStatus {
	return statusWith(corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}})
}

func terminated(code int32, reason string) corev1.PodStatus {
	return statusWith(corev1.PodRunning, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}})
}

// setStatus changes the pod of the Job.
func (c *cluster) setStatus(change func(*corev1.Pod)) {
	g := NewWithT(c.t)
	// Reactors call this, and the client is locked while they run.
	list, err := c.Tracker().List(corev1.SchemeGroupVersion.WithResource("pods"), corev1.SchemeGroupVersion.WithKind("Pod"), "")
	g.Expect(err).NotTo(HaveOccurred())
	pods := list.(*corev1.PodList)
	for i := range pods.Items {
		change(&pods.Items[i])
		g.Expect(c.Tracker().Update(corev1.SchemeGroupVersion.WithResource("pods"), &pods.Items[i], pods.Items[i].Namespace)).To(Succeed())
	}
}

// ends lets the run end with an exit code. It leaves a folder with a report.
func (c *cluster) ends(code int32, reason string) {
	g := NewWithT(c.t)
	folder := filepath.Join(c.results, testID)
	g.Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(folder, "report.yaml"), []byte("kind: Report\n"), 0o600)).To(Succeed())
	g.Expect(results.Finish(c.results, folder, nil)).To(Succeed())
	c.setStatus(func(pod *corev1.Pod) { pod.Status = terminated(code, reason) })
}

func (c *cluster) serveLog(_ context.Context, _ *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error) {
	g := NewWithT(c.t)
	g.Expect(options.Container).To(Equal("run"))
	g.Expect(options.Follow && options.Timestamps).To(BeTrue())
	if c.atLog != nil {
		c.atLog()
	}
	if len(c.logs) == 0 {
		return io.NopCloser(strings.NewReader("")), nil
	}
	log := c.logs[0]
	c.logs = c.logs[1:]
	return io.NopCloser(strings.NewReader(log)), nil
}

// connectToPod connects to the server in the pod, through a pipe.
func (c *cluster) connectToPod(pod *corev1.Pod, port int) (net.Conn, error) {
	if pod.Name != "draconform-a1b2-x" || port != results.Port {
		return nil, errors.New("nothing listens there")
	}
	client, server := net.Pipe()
	listener := &oneConn{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	listener.conn <- server
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = results.Server{Dir: c.results, Folder: filepath.Join(c.results, testID)}.Serve(c.t.Context(), listener)
		_ = server.Close()
	}()
	c.t.Cleanup(func() {
		_ = listener.Close()
		<-ended
	})
	return client, nil
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conn:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *oneConn) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return address{} }

// objects returns the kinds and names of the objects in the cluster, except pods,
// which have no garbage collector here.
func (c *cluster) objects() []string {
	g := NewWithT(c.t)
	all := metav1.ListOptions{}
	ctx := context.Background()
	var found []string
	add := func(list runtime.Object, err error) {
		g.Expect(err).NotTo(HaveOccurred())
		items, err := listItems(list)
		g.Expect(err).NotTo(HaveOccurred())
		found = append(found, items...)
	}
	namespaces, err := c.CoreV1().Namespaces().List(ctx, all)
	add(namespaces, err)
	accounts, err := c.CoreV1().ServiceAccounts("").List(ctx, all)
	add(accounts, err)
	configs, err := c.CoreV1().ConfigMaps("").List(ctx, all)
	add(configs, err)
	roles, err := c.RbacV1().ClusterRoles().List(ctx, all)
	add(roles, err)
	bindings, err := c.RbacV1().ClusterRoleBindings().List(ctx, all)
	add(bindings, err)
	namespaced, err := c.RbacV1().Roles("").List(ctx, all)
	add(namespaced, err)
	namespacedBindings, err := c.RbacV1().RoleBindings("").List(ctx, all)
	add(namespacedBindings, err)
	jobs, err := c.BatchV1().Jobs("").List(ctx, all)
	add(jobs, err)
	return found
}

// listItems returns the types and names of the items of a list.
func listItems(list runtime.Object) ([]string, error) {
	var all []string
	err := meta.EachListItem(list, func(item runtime.Object) error {
		accessor, err := meta.Accessor(item)
		if err == nil {
			all = append(all, strings.TrimPrefix(fmt.Sprintf("%T ", item), "*")+accessor.GetName())
		}
		return err
	})
	return all, err
}
