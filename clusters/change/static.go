package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/kind"
)

// names are what Kubernetes calls the components: their binaries, pods and leases.
var names = map[Component]string{
	APIServer: "kube-apiserver", ControllerManager: "kube-controller-manager", Scheduler: "kube-scheduler",
	Kubelet: "kubelet", Proxy: "kube-proxy",
}

// readManifest returns the manifest of a static pod, and whether the component is stopped.
func (c *cluster) readManifest(ctx context.Context, component Component) (content []byte, stopped bool, err error) {
	const script = `if [ -e "$1" ]; then echo there; cat "$1"; else echo parked; cat "$2"; fi`
	out, err := c.sh(ctx, c.controlPlane, script, staticpod.Path(names[component]), staticpod.ParkedPath(names[component]))
	if err != nil {
		return nil, false, fmt.Errorf("read the manifest of %s: %w", component, err)
	}
	where, text, _ := strings.Cut(out, "\n")
	return []byte(text + "\n"), where == "parked", nil
}

// static is a static pod as its manifest describes it.
type static struct {
	cluster   *cluster
	component Component
	manifest  *staticpod.Manifest
	// before are the UIDs of the pods that this one took the place of, or "none"; empty if it took no place.
	before string
	// logs are the numbers of the last logs that pods had left before, by their UIDs.
	logs map[string]int
}

// staticChange is the change of a static pod to what a step wants.
func (c *cluster) staticChange(ctx context.Context, s Step) (changing, error) {
	old, _, err := c.readManifest(ctx, s.To.Component)
	if err != nil {
		return changing{}, err
	}
	before, err := staticpod.Parse(old)
	if err != nil {
		return changing{}, fmt.Errorf("read the manifest of %s: %w", s.To.Component, err)
	}
	wanted, err := edit(old, s.To)
	if err != nil {
		return changing{}, fmt.Errorf("change the manifest of %s: %w", s.To.Component, err)
	}
	content, err := wanted.YAML()
	if err != nil {
		return changing{}, err
	}
	is := &static{cluster: c, component: s.To.Component, manifest: wanted}
	was := &static{cluster: c, component: s.To.Component, manifest: before}
	return changing{
		apply:   func(ctx context.Context) error { return is.put(ctx, content) },
		restore: func(ctx context.Context) error { return was.put(ctx, old) },
		ready:   is.settled, restored: was.settled,
		hopeless: is.crashes, log: is.log,
	}, nil
}

// put has the kubelet run a manifest.
func (s *static) put(ctx context.Context, manifest []byte) error {
	since := time.Now()
	out, err := s.cluster.shWith(ctx, s.cluster.controlPlane, bytes.NewReader(manifest), staticpod.Swap, names[s.component])
	if err != nil {
		return fmt.Errorf("replace the manifest of %s: %w", s.component, err)
	}
	before, logs, _ := strings.Cut(out, "\n")
	s.before, s.logs = before, map[string]int{}
	for line := range strings.Lines(logs) {
		uid, number, err := logNumber(line)
		if err != nil {
			return fmt.Errorf("read which logs %s has left: %w", s.component, err)
		}
		s.logs[uid] = max(s.logs[uid], number)
	}
	if s.before != "" && s.component != APIServer {
		s.release(ctx, since)
	}
	return nil
}

// release takes the lease from a process that has ended and did not give it up, as controller managers did not in earlier
// releases: the next one would wait until the lease is old. If that does not work, it waits.
func (s *static) release(ctx context.Context, since time.Time) {
	leases := s.cluster.client.CoordinationV1().Leases(metav1.NamespaceSystem)
	lease, err := leases.Get(ctx, names[s.component], metav1.GetOptions{})
	if err != nil || ptr.Deref(lease.Spec.HolderIdentity, "") == "" || lease.Spec.AcquireTime == nil || lease.Spec.AcquireTime.After(since) {
		return
	}
	now := metav1.NowMicro()
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = ptr.To(""), ptr.To[int32](1)
	lease.Spec.RenewTime, lease.Spec.AcquireTime = &now, &now
	// There is a conflict if the next one has it already.
	_, _ = leases.Update(ctx, lease, metav1.UpdateOptions{})
}

// edit makes the manifest of what is to run from that of what runs.
func edit(manifest []byte, to Running) (*staticpod.Manifest, error) {
	m, err := staticpod.Parse(manifest)
	if err != nil {
		return nil, err
	}
	if m.IsDraconform() && to.Scheduler == kind.KubeScheduler {
		err = m.UseKubeScheduler()
	}
	if !m.IsDraconform() && to.Scheduler == kind.DraconformScheduler {
		err = m.UseDraconform(images.Scheduler)
	}
	if err != nil {
		return nil, err
	}
	if err := m.Set(to.Release, to.Gates); err != nil {
		return nil, err
	}
	m.LookSoon()
	return m, nil
}

// settled returns why the component does not run as the manifest says, or not well.
func (s *static) settled(ctx context.Context) error {
	pod, err := s.cluster.staticPod(ctx, s.component)
	if err != nil {
		return err
	}
	if err := s.runs(pod); err != nil {
		return err
	}
	if s.component == APIServer {
		return s.answers(ctx)
	}
	return s.leads(ctx, pod)
}

var errNotTakenUp = errors.New("its kubelet has not taken up the pod")

// runs checks that the pod is that of the manifest, and ready.
func (s *static) runs(pod *corev1.Pod) error {
	if len(pod.Spec.Containers) != 1 || pod.DeletionTimestamp != nil || pod.Spec.Containers[0].Image != s.manifest.Image() ||
		!slices.Equal(pod.Spec.Containers[0].Command, s.manifest.Command()) {
		return errNotTakenUp
	}
	return staticpod.Ready(pod)
}

// answers checks that the API server is ready, and of its release.
func (s *static) answers(ctx context.Context) error {
	release, err := s.manifest.Release()
	if err != nil {
		return err
	}
	if err := s.cluster.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
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
		return fmt.Errorf("look for the process that leads: %w", err)
	}
	for _, c := range pod.Status.ContainerStatuses {
		// Whoever took the lease before this process started has ended.
		started := c.State.Running
		if started == nil || lease.Spec.AcquireTime == nil || lease.Spec.AcquireTime.Before(&metav1.MicroTime{Time: started.StartedAt.Time}) ||
			ptr.Deref(lease.Spec.HolderIdentity, "") == "" {
			return errors.New("its process does not lead")
		}
	}
	return nil
}

// crashLimit is how often a container may end before a change is given up. One crash may be due to something else.
const crashLimit = 3

// newestLog runs a script that looks at $log.
func (s *static) newestLog(ctx context.Context, script string) (string, error) {
	return s.cluster.sh(ctx, s.cluster.controlPlane, staticpod.NewestLog+script, names[s.component], s.before)
}

// crashes returns an error if the component's container has ended too often to hope. It asks the node, because the API
// server may be what crashes.
func (s *static) crashes(ctx context.Context) error {
	if s.before == "" {
		return nil // how often it ended before is not known
	}
	out, err := s.newestLog(ctx, staticpod.LogNumber)
	if err != nil || out == "" {
		return err
	}
	uid, restarts, err := logNumber(out)
	if err != nil {
		return fmt.Errorf("count the restarts of %s: %w", s.component, err)
	}
	if last, ok := s.logs[uid]; ok {
		restarts -= last + 1
	}
	if restarts < crashLimit {
		return nil
	}
	return fmt.Errorf("its container has ended %d times", restarts)
}

// logNumber reads a pod's UID and the number of one of its logs.
func logNumber(line string) (uid string, number int, err error) {
	uid, text, _ := strings.Cut(strings.TrimSpace(line), " ")
	number, err = strconv.Atoi(text)
	return uid, number, err
}

// log is the end of what the component's newest container said.
func (s *static) log(ctx context.Context) string {
	return lastLines(ctx, func(ctx context.Context) (string, error) {
		return s.newestLog(ctx, `tail -n 15 "$log"`)
	})
}
