package change

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/internal/staticpod"
)

const (
	kubeletConfig = "/var/lib/kubelet/config.yaml"
	kubeletFlags  = "/var/lib/kubelet/kubeadm-flags.env"
)

// kubeletFiles are a kubelet, by its release, and what it is configured with.
type kubeletFiles struct {
	release       clusters.Release
	config, flags string
}

// readKubelet tells which kubelet runs, why it is not settled, and how it is configured.
const readKubelet = `
pid=$(systemctl show --property=MainPID --value kubelet)
running=/proc/$pid/exe why=
if [ "$(systemctl is-active kubelet)" = inactive ]; then running=/usr/bin/kubelet why=stopped
elif [ "$pid" = 0 ]; then running=/usr/bin/kubelet why='it does not run'
elif [ "$(readlink $running)" != /usr/bin/kubelet ]; then why='another binary than that in its place runs'
elif [ $(($(date +%s) - $(stat -c %Y "$1"))) -lt $(ps -o etimes= -p $pid) ]; then why='it has not read its configuration'
fi
$running --version
echo "$why"
cat "$1"
`

// kubelet reads what the kubelet of a node runs, from the node.
func (c *cluster) kubelet(ctx context.Context, node string) (Running, error) {
	r := Running{Instance: Instance{Component: Kubelet, Node: node}}
	out, err := c.sh(ctx, node, readKubelet, kubeletConfig)
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

// kubeletChange is the change of a node's kubelet to what a step wants.
func (c *cluster) kubeletChange(ctx context.Context, s Step) (changing, error) {
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
		fields["failCgroupV1"] = false // kubelets refuse such hosts otherwise
	}
	config, err := configure([]byte(was.config), s.From, s.To, fields)
	if err != nil {
		return changing{}, fmt.Errorf("change the configuration of %s: %w", s.To.Instance, err)
	}
	wanted := kubeletFiles{s.To.Release, string(config), flagsOf(was.flags, s.To.Release)}
	var since time.Time // by the node's clock
	put := func(files kubeletFiles) func(context.Context) error {
		return func(ctx context.Context) (err error) { since, err = c.putKubelet(ctx, node, files); return err }
	}
	ready := func(files kubeletFiles) func(context.Context) error {
		return func(ctx context.Context) error {
			if err := c.nodeReady(ctx, node, files.release.Version, since); err != nil || node != c.controlPlane {
				return err
			}
			return c.staticPodsReady(ctx)
		}
	}
	return changing{
		apply: put(wanted), ready: ready(wanted),
		restore: put(was), restored: ready(was),
		hopeless: func(ctx context.Context) error { return c.kubeletCrashes(ctx, node) },
		log: func(ctx context.Context) string {
			return lastLines(ctx, func(ctx context.Context) (string, error) {
				return c.sh(ctx, node, "journalctl --no-pager --unit kubelet --lines 15 --output cat")
			})
		},
	}, nil
}

// flagsOf are the flags for a release. kubeadm sets one that kubelets no longer have since 1.35.
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

// readKubeletFiles reads what is in place, which need not be what runs.
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

// kubeletRelease reads what "kubelet --version" prints.
func kubeletRelease(version string) (clusters.Release, error) {
	return staticpod.ReleaseOf("kubelet:" + strings.TrimPrefix(version, "Kubernetes "))
}

// stagedKubelet is the path of a release's kubelet on a node, beside the one that runs.
func stagedKubelet(r clusters.Release) string { return "/usr/bin/kubelet-v" + r.Version }

// restartKubelet puts a kubelet in its place, keeps the one that was there for the way back, and starts it. It prints when
// that was. One call does it all, so that it is done in whole if nobody waits for it any more. The one that is kept by its
// version already, as a link, is not asked: it may be one that cannot run.
const restartKubelet = `
kept=
for k in /usr/bin/kubelet-v*; do [ ! /usr/bin/kubelet -ef "$k" ] || kept=$k; done
if [ -z "$kept" ]; then
  version=$(/usr/bin/kubelet --version)
  ln -f /usr/bin/kubelet "/usr/bin/kubelet-${version#Kubernetes }"
fi
if ! [ /usr/bin/kubelet -ef "$1" ]; then
  ln -f "$1" /usr/bin/.kubelet
  mv -f /usr/bin/.kubelet /usr/bin/kubelet
fi
mv "$2.draconform" "$2"
mv "$3.draconform" "$3"
date +%s
systemctl restart kubelet
`

// putKubelet has a node run a kubelet that is staged there. It returns the node's time before it was started.
func (c *cluster) putKubelet(ctx context.Context, node string, files kubeletFiles) (time.Time, error) {
	for path, content := range map[string]string{kubeletConfig: files.config, kubeletFlags: files.flags} {
		if _, err := c.shWith(ctx, node, strings.NewReader(content), `cat >"$1.draconform"`, path); err != nil {
			return time.Time{}, fmt.Errorf("write %s: %w", path, err)
		}
	}
	out, err := c.sh(ctx, node, restartKubelet, stagedKubelet(files.release), kubeletConfig, kubeletFlags)
	if err != nil {
		return time.Time{}, fmt.Errorf("start the kubelet: %w", err)
	}
	return secondsOf(out)
}

// secondsOf reads what "date +%s" prints.
func secondsOf(out string) (time.Time, error) {
	seconds, err := strconv.ParseInt(out, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time of a node: %w", err)
	}
	return time.Unix(seconds, 0), nil
}

// nodeReady returns why a kubelet of this version has not reported that its node is ready since it was started.
func (c *cluster) nodeReady(ctx context.Context, name, version string, since time.Time) error {
	node, err := c.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if got := node.Status.NodeInfo.KubeletVersion; got != "v"+version {
		return fmt.Errorf("the kubelet that reports is of %s, not v%s", got, version)
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type != corev1.NodeReady {
			continue
		}
		if condition.LastHeartbeatTime.Time.Before(since) {
			return errors.New("it has not reported since it was started")
		}
		if condition.Status != corev1.ConditionTrue {
			return fmt.Errorf("its node is not ready: %s", condition.Message)
		}
		return nil
	}
	return errors.New("it has not reported whether its node is ready")
}

// kubeletCrashes returns an error if systemd has started the kubelet again too often to hope.
func (c *cluster) kubeletCrashes(ctx context.Context, node string) error {
	out, err := c.sh(ctx, node, "systemctl show --property=NRestarts --value kubelet")
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(out); err != nil || n < crashLimit {
		return nil //nolint:nilerr // What cannot be read is no reason to give up.
	}
	return fmt.Errorf("it has ended %s times", out)
}
