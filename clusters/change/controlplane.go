package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// askKubelet prints the pods that the kubelet of the control plane node runs, as an API server reads them.
const askKubelet = `curl --silent --show-error --fail --insecure --max-time 5 --cert /etc/kubernetes/pki/apiserver-kubelet-client.crt \
  --key /etc/kubernetes/pki/apiserver-kubelet-client.key https://127.0.0.1:10250/pods`

// staticPodsReady returns why the control plane is not settled. A kubelet of another release may have started all static
// pods again, etcd's too, because it identifies them by a sum over fields that its release knows.
func (c *cluster) staticPodsReady(ctx context.Context) error {
	out, err := c.sh(ctx, c.controlPlane, askKubelet)
	if err != nil {
		return err
	}
	var pods corev1.PodList
	if err := json.Unmarshal([]byte(out), &pods); err != nil {
		return fmt.Errorf("read the kubelet's pods: %w", err)
	}
	for _, pod := range pods.Items {
		if pod.Annotations["kubernetes.io/config.source"] != "file" {
			continue
		}
		if err := staticpod.Ready(&pod); err != nil {
			return fmt.Errorf("static pod %s: %w", pod.Name, err)
		}
	}
	return c.controlPlaneSettled(ctx)
}

// controlPlaneSettled returns why a static pod that is not stopped does not run as its manifest says.
func (c *cluster) controlPlaneSettled(ctx context.Context) error {
	for _, component := range []Component{APIServer, ControllerManager, Scheduler} {
		if err := c.staticSettled(ctx, component); err != nil {
			return fmt.Errorf("%s: %w", component, err)
		}
	}
	return nil
}

func (c *cluster) staticSettled(ctx context.Context, component Component) error {
	r, err := c.static(ctx, component)
	if err == nil && r.Unsettled != "" {
		err = errors.New(r.Unsettled)
	}
	return err
}
