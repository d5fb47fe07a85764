// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// restartKubelet installs the kubelet $2 with the configuration $3 and the flags $4, keeps the previous kubelet for a
// rollback, and starts the kubelet if $5 is "start". It prints the node's time before the start. One script performs
// all of this, so that it completes even if the caller stops waiting. If a link to the previous kubelet with its
// version already exists, the script does not run that kubelet to get its version, because it may be a broken one.
//
// The script resets systemd's restart counter. Otherwise, restarts of the previous kubelet would count as crashes of
// the new one.
const restartKubelet = staticpod.Locked + `
in_place=usr/bin/kubelet staged=.$2 config=var/lib/kubelet/config.yaml flags=var/lib/kubelet/kubeadm-flags.env
kept=
for k in $in_place-v*; do [ ! $in_place -ef "$k" ] || kept=$k; done
if [ -z "$kept" ]; then
  version=$($in_place --version)
  ln -f $in_place "$in_place-${version#Kubernetes }"
fi
if ! [ $in_place -ef "$staged" ]; then
  ln -f "$staged" usr/bin/.kubelet
  mv -f usr/bin/.kubelet $in_place
fi
printf %s "$3" >$config.draconform
printf %s "$4" >$flags.draconform
mv $config.draconform $config
mv $flags.draconform $flags
systemctl stop kubelet
systemctl reset-failed kubelet || true
` + staticpod.KeepPods + nextSecond + `
[ "$5" != start ] || systemctl start kubelet
`

// nextSecond is the part of a script between stopping a kubelet and starting the next one. It waits for the next
// second and prints the time. Kubelets report times in whole seconds, so a report of the old kubelet could otherwise
// be mistaken for one of the new kubelet.
const nextSecond = `
ended=$(date +%s)
while [ "$(date +%s)" = "$ended" ]; do sleep 0.05; done
date +%s
`

// putKubelet installs a staged kubelet on a node and starts it, or leaves it stopped. It returns the node's time
// before the start.
func (c *cluster) putKubelet(ctx context.Context, node string, files kubeletFiles, stopped bool) (time.Time, error) {
	then := "start"
	if stopped {
		then = ""
	}
	out, err := c.sh(ctx, node, restartKubelet, staticpod.Root, stagedKubelet(files.release), files.config, files.flags, then)
	if err != nil {
		return time.Time{}, fmt.Errorf("restart the kubelet: %w", err)
	}
	return secondsOf(out)
}

// secondsOf parses the output of "date +%s".
func secondsOf(out string) (time.Time, error) {
	seconds, err := strconv.ParseInt(out, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time of a node: %w", err)
	}
	return time.Unix(seconds, 0), nil
}

// nodeReady returns the reason why a kubelet of this version has not reported a ready node since the given time, or
// nil.
func (c *cluster) nodeReady(ctx context.Context, name, version string, since time.Time) error {
	node, err := c.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read node %s: %w", name, err)
	}
	if got := node.Status.NodeInfo.KubeletVersion; got != "v"+version {
		return fmt.Errorf("its node reports version %s, not v%s", got, version)
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type != corev1.NodeReady {
			continue
		}
		if condition.LastHeartbeatTime.Time.Before(since) {
			return errors.New("it has not reported since its start")
		}
		if condition.Status != corev1.ConditionTrue {
			return fmt.Errorf("its node is not ready: %s", condition.Message)
		}
		return nil
	}
	return errors.New("it has not reported whether its node is ready")
}

// kubeletCrashes returns an error if systemd has restarted the kubelet at least crashLimit times.
func (c *cluster) kubeletCrashes(ctx context.Context, node string) error {
	out, err := c.sh(ctx, node, "systemctl show --property=NRestarts --value kubelet")
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(out); err != nil || n < crashLimit {
		return nil //nolint:nilerr // Without the number, the change continues.
	}
	return fmt.Errorf("it has ended %s times", out)
}

// kubeletLog returns the end of the log of a node's kubelet.
func (c *cluster) kubeletLog(ctx context.Context, node string) string {
	return lastLines(ctx, func(ctx context.Context) (string, error) {
		return c.sh(ctx, node, "journalctl --no-pager --unit kubelet --lines 15 --output cat")
	})
}
