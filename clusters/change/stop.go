// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/skew"
)

// processes are patterns of pkill for the names of the components' processes, which the kernel truncates.
var processes = map[skew.Component]string{
	skew.APIServer: "kube-apiserver", skew.ControllerManager: "kube-controller", skew.Scheduler: staticpod.SchedulerProcess,
	skew.Kubelet: "kubelet", skew.Proxy: "kube-proxy",
}

// Stop stops a component and keeps it from starting until Start. The process terminates gracefully, and Stop returns
// when it has ended. It is no error if the component is already stopped. kube-proxy cannot be stopped because a
// DaemonSet runs it.
//
// The timeout limits the wait, also in Start and Kill. Kubelets give static pods 30 seconds to terminate, and wait
// longer than a minute before they start a container for the third time.
func Stop(ctx context.Context, p *kind.Provider, i skew.Instance, timeout time.Duration) error {
	c, node, err := openAt(ctx, p, i)
	if err != nil {
		return err
	}
	if i.Component == skew.Proxy {
		return errors.New("proxy cannot be stopped: a DaemonSet runs it; Kill ends its process on a node")
	}
	unlock, err := c.lock()
	if err != nil {
		return fmt.Errorf("stop %s: %w", i, err)
	}
	defer unlock()
	if i.Component == skew.Kubelet {
		_, err = c.sh(ctx, node, staticpod.Locked+"systemctl stop kubelet", staticpod.Root)
	} else {
		_, err = c.script(ctx, staticpod.Stop, i.Component)
	}
	if err != nil {
		return fmt.Errorf("stop %s: %w", i, err)
	}
	bounded, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("timed out after %s", timeout))
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

// Start starts a component that Stop stopped, and returns when it is ready. A running component is not restarted.
func Start(ctx context.Context, p *kind.Provider, i skew.Instance, timeout time.Duration) error {
	c, node, err := openAt(ctx, p, i)
	if err != nil {
		return err
	}
	if i.Component == skew.Proxy {
		return errors.New("proxy cannot be started: a DaemonSet runs it")
	}
	unlock, err := c.lock()
	if err != nil {
		return fmt.Errorf("start %s: %w", i, err)
	}
	defer unlock()
	var ready func(context.Context) error
	log := (&static{cluster: c, component: i.Component}).log
	if i.Component == skew.Kubelet {
		ready, err = c.startKubelet(ctx, node)
		log = func(ctx context.Context) string { return c.kubeletLog(ctx, node) }
	} else {
		ready, err = c.startStatic(ctx, i.Component)
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", i, err)
	}
	bounded, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("timed out after %s", timeout))
	defer cancel()
	if err := wait(bounded, ready, nil); err != nil {
		return fmt.Errorf("wait until %s is ready: %w; last lines of its log:\n%s", i, err, log(ctx))
	}
	return nil
}

// startKubelet starts the kubelet if it is stopped. ready returns the reason why it is not ready yet.
func (c *cluster) startKubelet(ctx context.Context, node string) (ready func(context.Context) error, err error) {
	r, err := c.kubelet(ctx, node)
	if err != nil {
		return nil, err
	}
	since := time.Time{} // a running kubelet has already reported
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

// startStatic starts the static pod. ready returns the reason why it is not ready yet.
func (c *cluster) startStatic(ctx context.Context, component skew.Component) (ready func(context.Context) error, err error) {
	if _, err := c.script(ctx, staticpod.Start, component); err != nil {
		return nil, err
	}
	if component == skew.APIServer {
		return c.recovers(), nil
	}
	manifest, err := c.readManifest(ctx, component)
	if err != nil {
		return nil, err
	}
	return (&static{cluster: c, component: component, manifest: manifest.Manifest}).settled, nil
}

// Kill kills the process of a component with SIGKILL: on the kubelet's node, on the named node for the proxy, and on
// the control plane node for all others. The kubelet or systemd restarts the process. Kill does not wait for that. If
// the process has just ended and is about to be restarted, Kill waits for the new process and kills it.
func Kill(ctx context.Context, p *kind.Provider, i skew.Instance, timeout time.Duration) error {
	c, node, err := openAt(ctx, p, i)
	if err != nil {
		return err
	}
	kill := func(ctx context.Context) error {
		_, err := c.sh(ctx, node, `pkill --signal KILL --exact "$1"`, processes[i.Component])
		return err
	}
	bounded, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no process within %s", timeout))
	defer cancel()
	if err := wait(bounded, kill, nil); err != nil {
		return fmt.Errorf("kill %s: %w", i, err)
	}
	return nil
}

// openAt opens a cluster and returns the node of an instance.
func openAt(ctx context.Context, p *kind.Provider, i skew.Instance) (*cluster, string, error) {
	if err := skew.CheckComponent(i.Component); err != nil {
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
