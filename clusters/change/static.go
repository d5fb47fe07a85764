// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/skew"
)

// names are the names that Kubernetes uses for the binaries, pods and leases of the components.
var names = map[skew.Component]string{
	skew.APIServer: "kube-apiserver", skew.ControllerManager: "kube-controller-manager", skew.Scheduler: "kube-scheduler",
	skew.Kubelet: "kubelet", skew.Proxy: "kube-proxy",
}

// script runs one of staticpod's scripts for a component.
func (c *cluster) script(ctx context.Context, script string, component skew.Component, args ...string) (string, error) {
	return c.sh(ctx, c.controlPlane, script, append([]string{staticpod.Root, names[component]}, args...)...)
}

// placed is the manifest of a static pod, its text, and its location.
type placed struct {
	*staticpod.Manifest
	text  []byte
	where string
}

// readManifest reads the manifest of a static pod.
func (c *cluster) readManifest(ctx context.Context, component skew.Component) (placed, error) {
	out, err := c.script(ctx, staticpod.Read, component)
	if err != nil {
		return placed{}, fmt.Errorf("read the manifest of %s: %w", component, err)
	}
	where, text, _ := strings.Cut(out, "\n")
	manifest, err := staticpod.Parse([]byte(text + "\n"))
	if err != nil {
		return placed{}, fmt.Errorf("read the manifest of %s: %w", component, err)
	}
	return placed{manifest, []byte(text + "\n"), where}, nil
}

// static is a static pod as described by its manifest.
type static struct {
	cluster   *cluster
	component skew.Component
	manifest  *staticpod.Manifest
	// fresh states that this change created the pod from the manifest. All restarts of its container happened after
	// the change.
	fresh bool
}

// staticChange returns the change of a static pod for a step.
func (c *cluster) staticChange(ctx context.Context, s skew.Step) (changing, error) {
	before, err := c.readManifest(ctx, s.To.Component)
	if err != nil {
		return changing{}, err
	}
	wanted, err := edit(before.text, s.To)
	if err != nil {
		return changing{}, fmt.Errorf("change the manifest of %s: %w", s.To.Component, err)
	}
	is := &static{cluster: c, component: s.To.Component, manifest: wanted}
	was := &static{cluster: c, component: s.To.Component, manifest: before.Manifest}
	// The running pod may already have the wanted manifest but not be healthy. It is replaced in this case, too.
	apply := func(ctx context.Context) error { return is.put(ctx, nil) }
	restore := func(ctx context.Context) error { return was.put(ctx, before.text) }
	if s.From.Stopped {
		restore = func(ctx context.Context) error { return was.stop(ctx, before.text) }
	}
	return changing{
		apply: apply, ready: is.settled,
		restore: restore, restored: was.settled,
		crashes: is.crashes, log: is.log,
	}, nil
}

// stop stops the component and stores the manifest with which it will be started again.
func (s *static) stop(ctx context.Context, manifest []byte) error {
	if _, err := s.cluster.script(ctx, staticpod.Stop, s.component, string(manifest)); err != nil {
		return fmt.Errorf("stop %s: %w", s.component, err)
	}
	return nil
}

// put makes the kubelet start a pod from the manifest. It does nothing if the manifest in the kubelet's folder equals
// unless.
func (s *static) put(ctx context.Context, unless []byte) error {
	since := time.Now()
	renewed := s.manifest.WithNewUID()
	content, err := renewed.YAML()
	if err != nil {
		return fmt.Errorf("write the manifest of %s: %w", s.component, err)
	}
	out, err := s.cluster.script(ctx, staticpod.Swap, s.component, string(content), strings.TrimRight(string(unless), "\n"))
	if err != nil {
		return fmt.Errorf("replace the manifest of %s: %w", s.component, err)
	}
	if out == "" {
		return nil
	}
	s.manifest, s.fresh = renewed, true
	if s.component != skew.APIServer {
		s.release(ctx, since)
	}
	return nil
}

// release releases the lease of a process that has ended without releasing it, as controller managers did in earlier
// releases. Otherwise, the next process would wait until the lease expires, which is also what happens if release
// fails.
func (s *static) release(ctx context.Context, since time.Time) {
	leases := s.cluster.client.CoordinationV1().Leases(metav1.NamespaceSystem)
	lease, err := leases.Get(ctx, names[s.component], metav1.GetOptions{})
	if err != nil || ptr.Deref(lease.Spec.HolderIdentity, "") == "" || lease.Spec.AcquireTime == nil || lease.Spec.AcquireTime.After(since) {
		return
	}
	now := metav1.NowMicro()
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = ptr.To(""), ptr.To[int32](1)
	lease.Spec.RenewTime, lease.Spec.AcquireTime = &now, &now
	// A conflict means that the next process already holds the lease.
	_, _ = leases.Update(ctx, lease, metav1.UpdateOptions{})
}

// edit changes a manifest to the wanted configuration.
func edit(manifest []byte, to skew.Running) (*staticpod.Manifest, error) {
	m, err := staticpod.Parse(manifest)
	if err != nil {
		return nil, err
	}
	if m.IsDraconform() && to.Scheduler == skew.KubeScheduler {
		err = m.UseKubeScheduler()
	}
	if !m.IsDraconform() && to.Scheduler == skew.DraconformScheduler {
		err = m.UseDraconform(images.Scheduler)
	}
	if err != nil {
		return nil, err
	}
	if err := m.Set(to.Release, to.Gates); err != nil {
		return nil, err
	}
	m.ProbeEverySecond()
	return m, nil
}

// settled returns the reason why the component does not run as described by the manifest or is not healthy, or nil.
func (s *static) settled(ctx context.Context) error {
	pods, err := s.cluster.staticPods(ctx)
	if err != nil {
		return err
	}
	return s.settledAmong(ctx, pods)
}

// settledAmong is settled for the given static pods.
func (s *static) settledAmong(ctx context.Context, pods []corev1.Pod) error {
	name := s.cluster.podOf(s.component)
	i := slices.IndexFunc(pods, func(pod corev1.Pod) bool { return pod.Name == name && s.isOf(&pod) })
	if i < 0 {
		return errNotStarted
	}
	pod := &pods[i]
	notReady := staticpod.Ready(pod)
	if s.component != skew.APIServer {
		if notReady != nil {
			return notReady
		}
		return s.leads(ctx, pod)
	}
	// A kubelet that could not replace the mirror pod loses the status of the static pod. It shows no status until it
	// checks again, up to a minute later. Its status may still explain why the API server does not answer.
	err := s.answers(ctx)
	if err != nil && notReady != nil {
		return notReady
	}
	return err
}

var errNotStarted = errors.New("its kubelet has not started the pod")

// isOf reports whether the pod was created from the manifest.
func (s *static) isOf(pod *corev1.Pod) bool {
	if uid := s.manifest.UID(); uid != "" && uid != pod.UID {
		return false
	}
	return len(pod.Spec.Containers) == 1 && pod.DeletionTimestamp == nil && pod.Spec.Containers[0].Image == s.manifest.Image() &&
		slices.Equal(pod.Spec.Containers[0].Command, s.manifest.Command())
}

// answers checks that the API server is ready and has the release of the manifest.
func (s *static) answers(ctx context.Context) error {
	release, err := s.manifest.Release()
	if err != nil {
		return err
	}
	if err := s.cluster.answers(ctx); err != nil {
		return fmt.Errorf("it is not ready: %w", err)
	}
	version, err := s.cluster.client.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	if version.GitVersion != "v"+release.Version {
		return fmt.Errorf("it is of %s, not v%s", version.GitVersion, release.Version)
	}
	return nil
}

// leads checks that the process of this pod holds the component's lease.
func (s *static) leads(ctx context.Context, pod *corev1.Pod) error {
	lease, err := s.cluster.client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, names[s.component], metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read its lease: %w", err)
	}
	for _, c := range pod.Status.ContainerStatuses {
		// A process that acquired the lease before this process started has ended.
		started := c.State.Running
		if started == nil || lease.Spec.AcquireTime == nil || lease.Spec.AcquireTime.Before(&metav1.MicroTime{Time: started.StartedAt.Time}) ||
			ptr.Deref(lease.Spec.HolderIdentity, "") == "" {
			return errors.New("its process does not lead")
		}
	}
	return nil
}
