package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/kind"
)

// processes are the names of the components' processes as the kernel cuts them, in patterns of pkill.
var processes = map[Component]string{
	APIServer: "kube-apiserver", ControllerManager: "kube-controller", Scheduler: "kube-scheduler|draconform-sche",
	Kubelet: "kubelet", Proxy: "kube-proxy",
}

// Stop ends a component and keeps it from starting again until Start. Its process may finish what it is at; Stop returns
// when it is gone. A component that is stopped already stays so. kube-proxy, which a DaemonSet runs, cannot be stopped.
//
// The timeout bounds the wait, as in Start and Kill. Kubelets give static pods 30 seconds to end, and wait longer than a
// minute before they start a container for the third time.
func Stop(ctx context.Context, p *kind.Provider, i Instance, timeout time.Duration) error {
	c, node, err := openAt(ctx, p, i)
	if err != nil {
		return err
	}
	if i.Component == Proxy {
		return errors.New("proxy cannot be stopped: a DaemonSet runs it; Kill ends its process on a node")
	}
	unlock, err := c.lock()
	if err != nil {
		return fmt.Errorf("stop %s: %w", i, err)
	}
	defer unlock()
	if i.Component == Kubelet {
		_, err = c.sh(ctx, node, staticpod.Locked+"systemctl stop kubelet", staticpod.Root)
	} else {
		_, err = c.script(ctx, staticpod.Stop, i.Component)
	}
	if err != nil {
		return fmt.Errorf("stop %s: %w", i, err)
	}
	bounded, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("not so for %s", timeout))
	defer cancel()
	gone := func(ctx context.Context) error {
		_, err := c.sh(ctx, node, `! pgrep --exact "$1"`, processes[i.Component])
		return err
	}
	if err := wait(bounded, gone, nil); err != nil {
		return fmt.Errorf("wait until %s has stopped: %w", i, err)
	}
	return nil
}

// Start starts a component that Stop stopped, and returns when it is ready; one that runs stays as it is.
func Start(ctx context.Context, p *kind.Provider, i Instance, timeout time.Duration) error {
	c, node, err := openAt(ctx, p, i)
	if err != nil {
		return err
	}
	if i.Component == Proxy {
		return errors.New("proxy cannot be started: a DaemonSet runs it")
	}
	unlock, err := c.lock()
	if err != nil {
		return fmt.Errorf("start %s: %w", i, err)
	}
	defer unlock()
	var ready func(context.Context) error
	log := (&static{cluster: c, component: i.Component}).log
	if i.Component == Kubelet {
		ready, err = c.startKubelet(ctx, node)
		log = func(ctx context.Context) string { return c.kubeletLog(ctx, node) }
	} else {
		ready, err = c.startStatic(ctx, i.Component)
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", i, err)
	}
	bounded, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("not so for %s", timeout))
	defer cancel()
	if err := wait(bounded, ready, nil); err != nil {
		return fmt.Errorf("wait until %s is ready: %w; its last lines:\n%s", i, err, log(ctx))
	}
	return nil
}

// startKubelet returns why the kubelet is not ready yet.
func (c *cluster) startKubelet(ctx context.Context, node string) (ready func(context.Context) error, err error) {
	r, err := c.kubelet(ctx, node)
	if err != nil {
		return nil, err
	}
	since := time.Time{} // one that runs has reported
	if r.Stopped {
		out, err := c.sh(ctx, node, staticpod.Locked+nextSecond+"systemctl start kubelet", staticpod.Root)
		if err != nil {
			return nil, err
		}
		if since, err = secondsOf(out); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) error { return c.nodeReady(ctx, node, r.Release.Version, since) }, nil
}

// startStatic returns why the static pod is not ready yet.
func (c *cluster) startStatic(ctx context.Context, component Component) (ready func(context.Context) error, err error) {
	if _, err := c.script(ctx, staticpod.Start, component); err != nil {
		return nil, err
	}
	if component == APIServer {
		return c.recovers(), nil
	}
	manifest, err := c.readManifest(ctx, component)
	if err != nil {
		return nil, err
	}
	return (&static{cluster: c, component: component, manifest: manifest.Manifest}).settled, nil
}

// Kill ends the process of a component without warning: of the node of a kubelet, of the named node for the proxy, else
// of the control plane node. Whoever runs it, a kubelet or systemd, starts it again; Kill does not wait for that. A process
// that ended a moment ago and is about to be started again is waited for, and killed.
func Kill(ctx context.Context, p *kind.Provider, i Instance, timeout time.Duration) error {
	c, node, err := openAt(ctx, p, i)
	if err != nil {
		return err
	}
	kill := func(ctx context.Context) error {
		_, err := c.sh(ctx, node, `pkill --signal KILL --exact "$1"`, processes[i.Component])
		return err
	}
	bounded, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no process for %s", timeout))
	defer cancel()
	if err := wait(bounded, kill, nil); err != nil {
		return fmt.Errorf("kill %s: %w", i, err)
	}
	return nil
}

// openAt opens a cluster, and returns the node that an instance runs on.
func openAt(ctx context.Context, p *kind.Provider, i Instance) (*cluster, string, error) {
	if err := known(i.Component); err != nil {
		return nil, "", err
	}
	c, err := open(ctx, p)
	if err != nil {
		return nil, "", err
	}
	if i.Component.Static() {
		return c, c.controlPlane, nil
	}
	for _, node := range c.nodes {
		if node == i.Node {
			return c, node, nil
		}
	}
	return nil, "", fmt.Errorf("cluster %s has no node %q", p.Name(), i.Node)
}
