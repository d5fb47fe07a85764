package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// askKubelet prints the pods that the kubelet of the control plane node runs, as an API server reads them.
const askKubelet = `curl --silent --show-error --fail --insecure --max-time 5 --cert /etc/kubernetes/pki/apiserver-kubelet-client.crt \
  --key /etc/kubernetes/pki/apiserver-kubelet-client.key https://127.0.0.1:10250/pods`

// staticPodsReady returns why the control plane is not settled. A kubelet of another release may have started containers of
// static pods again, etcd's too: whether one is as it should be it tells by a sum over fields that its release knows.
func (c *cluster) staticPodsReady(ctx context.Context) error {
	pods, err := c.staticPods(ctx)
	if err != nil {
		return err
	}
	for _, pod := range pods {
		if pod.Name == c.podOf(APIServer) {
			continue // which is asked itself
		}
		if err := staticpod.Ready(&pod); err != nil {
			return fmt.Errorf("static pod %s: %w", pod.Name, err)
		}
	}
	return c.controlPlaneSettled(ctx)
}

// staticPods are the static pods of the control plane node as its kubelet knows them. The mirror pods of the API server show
// the same, but later: a kubelet that cannot write one, as while it replaces the API server, tries again after a minute.
func (c *cluster) staticPods(ctx context.Context) ([]corev1.Pod, error) {
	out, err := c.sh(ctx, c.controlPlane, askKubelet)
	if err != nil {
		return nil, fmt.Errorf("ask the kubelet for its pods: %w", err)
	}
	var pods corev1.PodList
	if err := json.Unmarshal([]byte(out), &pods); err != nil {
		return nil, fmt.Errorf("read the kubelet's pods: %w", err)
	}
	return slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return pod.Annotations["kubernetes.io/config.source"] != "file" }), nil
}

// podOf is the name of a component's static pod.
func (c *cluster) podOf(component Component) string { return names[component] + "-" + c.controlPlane }

// staticPod is the one of a component.
func (c *cluster) staticPod(ctx context.Context, component Component) (*corev1.Pod, error) {
	pods, err := c.staticPods(ctx)
	if err != nil {
		return nil, err
	}
	for i := range pods {
		if pods[i].Name == c.podOf(component) {
			return &pods[i], nil
		}
	}
	return nil, errNotTakenUp
}

// controlPlaneSettled returns why a static pod that has a manifest in its place does not run as that says.
func (c *cluster) controlPlaneSettled(ctx context.Context) error {
	for _, component := range []Component{APIServer, ControllerManager, Scheduler} {
		if err := c.staticSettled(ctx, component); err != nil {
			return fmt.Errorf("%s: %w", component, err)
		}
	}
	return nil
}

// recovers returns why the control plane is not settled after its API server was away. Those that have missed it ended, for
// they lost their lease, and a kubelet starts them again later with every time. Here that is once, and at once.
func (c *cluster) recovers() func(context.Context) error {
	waiting := []Component{ControllerManager, Scheduler}
	return func(ctx context.Context) error {
		if err := c.staticSettled(ctx, APIServer); err != nil {
			return fmt.Errorf("%s: %w", APIServer, err)
		}
		for i, component := range waiting {
			pod, err := c.staticPod(ctx, component)
			if err == nil && backsOff(pod) {
				waiting = slices.Delete(waiting, i, i+1)
				return errors.Join(errStartedAnew, c.startAnew(ctx, component))
			}
		}
		return c.controlPlaneSettled(ctx)
	}
}

var errStartedAnew = errors.New("what waited to be started again has just been started")

// backsOff reports whether the kubelet waits before it starts a container again.
func backsOff(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff"
	})
}

// startAnew has the kubelet start a component that it knows nothing of.
func (c *cluster) startAnew(ctx context.Context, component Component) error {
	content, where, err := c.readManifest(ctx, component)
	if err != nil || where != staticpod.There {
		return err
	}
	manifest, err := staticpod.Parse(content)
	if err != nil {
		return fmt.Errorf("read the manifest of %s: %w", component, err)
	}
	return (&static{cluster: c, component: component, manifest: manifest}).put(ctx, nil)
}

func (c *cluster) staticSettled(ctx context.Context, component Component) error {
	r, err := c.static(ctx, component)
	if err == nil && r.Unsettled != "" && r.Unsettled != cutShort {
		err = errors.New(r.Unsettled)
	}
	return err
}
