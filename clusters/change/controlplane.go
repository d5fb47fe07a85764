package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// askKubelet prints the pods that the kubelet of the control plane node runs, as an API server reads them.
const askKubelet = "curl --silent --show-error --fail --max-time 5 " + staticpod.Kubelet + "/pods"

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

// answerTime is how long an API server has to answer one look. One that starts takes connections before it serves them, and
// those of that time may stay without an answer.
const answerTime = 3 * time.Second

// answers returns why the API server is not ready.
func (c *cluster) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, fmt.Errorf("no answer for %s", answerTime))
	defer cancel()
	return c.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// podOf is the name of a component's static pod.
func (c *cluster) podOf(component Component) string { return names[component] + "-" + c.controlPlane }

// inPlace are the components whose manifests stand in the kubelet's folder: not what is stopped, or was cut short.
func (c *cluster) inPlace(ctx context.Context) ([]*static, error) {
	var all []*static
	for _, component := range staticComponents() {
		manifest, err := c.readManifest(ctx, component)
		if err != nil {
			return nil, err
		}
		if manifest.where == staticpod.There {
			all = append(all, &static{cluster: c, component: component, manifest: manifest.Manifest})
		}
	}
	return all, nil
}

// recovers returns why the control plane is not settled after its API server or its kubelet was away; nobody else may change
// it meanwhile. A kubelet of another release may have started containers of static pods again, etcd's too: whether one is as
// it should be it tells by a sum over fields that its release knows. Those that have missed the API server ended, for they
// lost their lease, and a kubelet starts them again later with every time. Here that is once, and at once.
func (c *cluster) recovers() func(context.Context) error {
	var all []*static
	return func(ctx context.Context) (err error) {
		if all == nil {
			if all, err = c.inPlace(ctx); err != nil {
				return err
			}
		}
		pods, err := c.staticPods(ctx)
		if err != nil {
			return err
		}
		for _, s := range all {
			notSettled := s.settledAmong(ctx, pods)
			if notSettled != nil && s.component == APIServer {
				return fmt.Errorf("%s: %w", s.component, notSettled)
			}
			if !s.fresh && errors.Is(notSettled, staticpod.ErrBackOff) {
				notSettled = errors.Join(errStartedAnew, s.put(ctx, nil))
			}
			if notSettled != nil && err == nil {
				err = fmt.Errorf("%s: %w", s.component, notSettled)
			}
		}
		return errors.Join(err, c.othersReady(pods))
	}
}

// othersReady returns why static pods other than those of the components are not ready, such as etcd's.
func (c *cluster) othersReady(pods []corev1.Pod) error {
	for _, pod := range pods {
		if slices.ContainsFunc(staticComponents(), func(component Component) bool { return pod.Name == c.podOf(component) }) {
			continue
		}
		if err := staticpod.Ready(&pod); err != nil {
			return fmt.Errorf("static pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

var errStartedAnew = errors.New("it waited to be started again, and has just been started")
