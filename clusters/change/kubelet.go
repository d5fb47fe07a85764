// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/skew"
)

const (
	kubeletConfig = "/var/lib/kubelet/config.yaml"
	kubeletFlags  = "/var/lib/kubelet/kubeadm-flags.env"
)

// kubeletFiles is the release of a kubelet and its configuration.
type kubeletFiles struct {
	release       clusters.Release
	config, flags string
}

// readKubelet prints the version of the running kubelet, the reason why it is
// not settled, and its configuration. $1 is the script's working directory.
const readKubelet = `
cd "$1"
root=$(pwd -P) config=var/lib/kubelet/config.yaml
in_place=${root%/}/usr/bin/kubelet
pid=$(systemctl show --property=MainPID --value kubelet)
running=/proc/$pid/exe why=
if [ "$(systemctl is-active kubelet)" = inactive ]; then running=$in_place why=stopped
elif [ "$pid" = 0 ]; then running=$in_place why='it does not run'
elif [ "$(readlink $running)" != "$in_place" ]; then why='it does not run the installed binary'
elif [ $(($(date +%s) - $(stat -c %Y $config))) -lt $(ps -o etimes= -p $pid) ]; then why='it has not read its configuration'
fi
$running --version
echo "$why"
cat $config
`

// kubelet reads the running configuration of a node's kubelet from the node.
func (c *cluster) kubelet(ctx context.Context, node string) (skew.Running, error) {
	r := skew.Running{Instance: skew.Instance{Component: skew.Kubelet, Node: node}}
	out, err := c.sh(ctx, node, readKubelet, staticpod.Root)
	if err != nil {
		return r, fmt.Errorf("read the kubelet: %w", err)
	}
	version, rest, _ := strings.Cut(out, "\n")
	why, config, _ := strings.Cut(rest, "\n")
	if r.Release, err = kubeletRelease(version); err != nil {
		return r, fmt.Errorf("read the kubelet of node %s: %w", node, err)
	}
	if r.Gates, _, err = configuredGates([]byte(config), r.Release); err != nil {
		return r, fmt.Errorf("read the configuration of the kubelet of node %s: %w", node, err)
	}
	if r.Stopped = why == "stopped"; !r.Stopped {
		r.Unsettled = why
	}
	return r, nil
}

// kubeletChange returns the change of a node's kubelet for a step.
func (c *cluster) kubeletChange(ctx context.Context, s skew.Step) (changing, error) {
	node := s.To.Node
	was, err := c.readKubeletFiles(ctx, node)
	if err != nil {
		return changing{}, err
	}
	info, err := c.engine.Info(ctx)
	if err != nil {
		return changing{}, err
	}
	fields := map[string]any{}
	if info.CgroupVersion == 1 && s.To.Release.AtLeast("1.35") {
		fields["failCgroupV1"] = false // otherwise kubelets fail to start on such hosts
	}
	config, err := configure([]byte(was.config), s.From, s.To, fields)
	if err != nil {
		return changing{}, fmt.Errorf("change the configuration of %s: %w", s.To.Instance, err)
	}
	wanted := kubeletFiles{s.To.Release, string(config), flagsOf(was.flags, s.To.Release)}
	var since time.Time // by the node's clock
	put := func(files kubeletFiles, stopped bool) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			since, err = c.putKubelet(ctx, node, files, stopped)
			return err
		}
	}
	ready := func(files kubeletFiles) func(context.Context) error {
		recovers := c.recovers()
		return func(ctx context.Context) error {
			if err := c.nodeReady(ctx, node, files.release.Version, since); err != nil || node != c.controlPlane {
				return err
			}
			return recovers(ctx)
		}
	}
	return changing{
		apply: put(wanted, false), ready: ready(wanted),
		restore: put(was, s.From.Stopped), restored: ready(was),
		crashes: func(ctx context.Context) error { return c.kubeletCrashes(ctx, node) },
		log:     func(ctx context.Context) string { return c.kubeletLog(ctx, node) },
	}, nil
}

// flagsOf returns the flags for a release. kubeadm sets one flag that kubelets
// no longer have since 1.35.
func flagsOf(flags string, r clusters.Release) string {
	if !r.AtLeast("1.35") {
		return flags
	}
	const gone = "--pod-infra-container-image="
	at := strings.Index(flags, gone)
	if at < 0 {
		return flags
	}
	end := strings.IndexAny(flags[at:], " \"\n")
	if end < 0 {
		return flags[:at]
	}
	return flags[:at] + strings.TrimPrefix(flags[at+end:], " ")
}

// readKubeletFiles reads the installed kubelet's files. The running kubelet may
// be another one.
func (c *cluster) readKubeletFiles(ctx context.Context, node string) (kubeletFiles, error) {
	const script = `cat "$1"`
	config, err := c.sh(ctx, node, script, kubeletConfig)
	if err != nil {
		return kubeletFiles{}, fmt.Errorf("read the configuration of the kubelet: %w", err)
	}
	flags, err := c.sh(ctx, node, script, kubeletFlags)
	if err != nil {
		return kubeletFiles{}, fmt.Errorf("read the flags of the kubelet: %w", err)
	}
	version, err := c.sh(ctx, node, "/usr/bin/kubelet --version")
	if err != nil {
		return kubeletFiles{}, fmt.Errorf("read the version of the kubelet: %w", err)
	}
	release, err := kubeletRelease(version)
	return kubeletFiles{release, config + "\n", flags + "\n"}, err
}

// kubeletRelease parses the output of "kubelet --version".
func kubeletRelease(version string) (clusters.Release, error) {
	return staticpod.ReleaseOf("kubelet:" + strings.TrimPrefix(version, "Kubernetes "))
}

// stagedKubelet returns the path of a release's kubelet on a node. It is staged
// next to the installed kubelet.
func stagedKubelet(r clusters.Release) string { return "/usr/bin/kubelet-v" + r.Version }
