// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/skew"
)

// of returns the running configuration of an instance.
func of(t *testing.T, i skew.Instance, minor, set string) skew.Running {
	t.Helper()
	g := NewWithT(t)
	r, err := clusters.FindRelease(minor)
	g.Expect(err).NotTo(HaveOccurred())
	s, err := gates.Parse(set, r)
	g.Expect(err).NotTo(HaveOccurred())
	return skew.Running{Instance: i, Release: r, Gates: s}
}

var worker = skew.Instance{Component: skew.Kubelet, Node: "c-worker"}

const kubeletYAML = `cgroupDriver: systemd
failSwapOn: false
featureGates:
  DRAConsumableCapacity: true
  GracefulNodeShutdown: false
kind: KubeletConfiguration
`

func TestKubeletIsReadFromItsNode(t *testing.T) {
	for name, test := range map[string]struct {
		why, unsettled string
		stopped        bool
	}{
		"running":   {},
		"stopped":   {why: "stopped", stopped: true},
		"unsettled": {why: "it has not read its configuration", unsettled: "it has not read its configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c, _ := newCluster(t, []fake.Answer{{Args: "exec c-worker sh -ec", Stdout: "Kubernetes v1.35.4\n" + test.why + "\n" + kubeletYAML}})
			r, err := c.kubelet(t.Context(), "c-worker")
			g.Expect(err).NotTo(HaveOccurred())
			want := of(t, worker, "1.35", "DRAConsumableCapacity=true")
			g.Expect(r.Same(want)).To(BeTrue(), "%+v", r)
			g.Expect(r.Stopped).To(Equal(test.stopped))
			g.Expect(r.Unsettled).To(Equal(test.unsettled))
		})
	}
}

func TestConfigureKeepsOtherGates(t *testing.T) {
	g := NewWithT(t)
	from := of(t, worker, "1.35", "DRAConsumableCapacity=true")
	out, err := configure([]byte(kubeletYAML), from, of(t, worker, "1.36", "off"), map[string]any{"failCgroupV1": false})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(out)).To(MatchYAML(`
cgroupDriver: systemd
failCgroupV1: false
failSwapOn: false
featureGates:
  DRAConsumableCapacity: false
  DRADeviceBindingConditions: false
  DRADeviceTaints: false
  DRAExtendedResource: false
  DRAPartitionableDevices: false
  DRAPrioritizedList: false
  DRAResourceClaimDeviceStatus: false
  DRAResourceClaimGranularStatusAuthorization: false
  DRASchedulerFilterTimeout: false
  GracefulNodeShutdown: false
kind: KubeletConfiguration
`))
}

func TestConfigureWithoutGates(t *testing.T) {
	g := NewWithT(t)
	out, err := configure([]byte("featureGates: {DRAConsumableCapacity: true}\nkind: A\n"),
		of(t, worker, "1.35", "DRAConsumableCapacity=true"), of(t, worker, "1.36", "default"), nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(out)).To(Equal("kind: A\n"))
	_, err = configure([]byte("featureGates: 1\n"), skew.Running{}, skew.Running{}, nil)
	g.Expect(err).To(HaveOccurred())
}

// The flags are those of kubeadm 1.34. Kubelets of 1.35 do not start with a
// flag that they do not know.
func TestFlagsOfRemovesRemovedFlags(t *testing.T) {
	const flags = "KUBELET_KUBEADM_ARGS=\"--pod-infra-container-image=registry.k8s.io/pause:3.10.1 --node-ip=172.18.0.10 --node-labels=a=b\"\n"
	for name, test := range map[string]struct{ flags, minor, want string }{
		"none before 1.35":  {flags, "1.34", flags},
		"the first":         {flags, "1.35", "KUBELET_KUBEADM_ARGS=\"--node-ip=172.18.0.10 --node-labels=a=b\"\n"},
		"the last":          {"A=\"--node-ip=1 --pod-infra-container-image=x\"\n", "1.37", "A=\"--node-ip=1 \"\n"},
		"the only one":      {"A=\"--pod-infra-container-image=x\"\n", "1.37", "A=\"\"\n"},
		"a line without it": {"A=\"--node-ip=1\"\n", "1.37", "A=\"--node-ip=1\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, err := clusters.FindRelease(test.minor)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(flagsOf(test.flags, r)).To(Equal(test.want))
		})
	}
}

func TestNodeReady(t *testing.T) {
	since := time.Unix(1000, 0)
	for name, test := range map[string]struct {
		version   string
		status    corev1.ConditionStatus
		heartbeat time.Time
		want      string
	}{
		"ready":                 {"v1.37.2", corev1.ConditionTrue, since, ""},
		"of the old version":    {"v1.36.3", corev1.ConditionTrue, since, "its node reports version v1.36.3, not v1.37.2"},
		"of the process before": {"v1.37.2", corev1.ConditionTrue, since.Add(-time.Second), "it has not reported since its start"},
		"not ready":             {"v1.37.2", corev1.ConditionFalse, since, "its node is not ready: no network"},
		"never":                 {"v1.37.2", "", since, "it has not reported whether its node is ready"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "c-worker"}}
			node.Status.NodeInfo.KubeletVersion = test.version
			if test.status != "" {
				node.Status.Conditions = []corev1.NodeCondition{{
					Type: corev1.NodeReady, Status: test.status, Message: "no network", LastHeartbeatTime: metav1.NewTime(test.heartbeat),
				}}
			}
			c, _ := newCluster(t, nil, node)
			err := c.nodeReady(t.Context(), "c-worker", "1.37.2", since)
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(test.want))
			}
		})
	}
}

func TestKubeletCrashes(t *testing.T) {
	for restarts, crashes := range map[string]bool{"0": false, "2": false, "3": true, "12": true, "[not set]": false} {
		g := NewWithT(t)
		c, _ := newCluster(t, []fake.Answer{{Args: "exec c-worker", Stdout: restarts + "\n"}})
		err := c.kubeletCrashes(t.Context(), "c-worker")
		if crashes {
			g.Expect(err).To(MatchError("it has ended " + restarts + " times"))
		} else {
			g.Expect(err).NotTo(HaveOccurred(), restarts)
		}
	}
}

// A single call installs all files and restarts the kubelet, so that no other
// change can interfere.
func TestKubeletChangeAndRollback(t *testing.T) {
	g := NewWithT(t)
	c, f := newCluster(t, []fake.Answer{
		{Args: "info", Stdout: `{"CgroupVersion":"1"}`},
		{Args: `exec c-worker sh -ec cat "$1" sh /var/lib/kubelet/config.yaml`, Stdout: kubeletYAML},
		{Args: `exec c-worker sh -ec cat "$1" sh /var/lib/kubelet/kubeadm-flags.env`, Stdout: "A=\"--node-ip=1\"\n"},
		{Args: "exec c-worker sh -ec /usr/bin/kubelet --version", Stdout: "Kubernetes v1.34.4\n"},
		{Args: "exec c-worker sh -ec", Has: "systemctl start kubelet", Stdout: "1000\n"},
	})
	change, err := c.kubeletChange(t.Context(), skew.Step{From: of(t, worker, "1.34", "DRAConsumableCapacity=true"), To: of(t, worker, "1.35", "default")})
	g.Expect(err).NotTo(HaveOccurred())
	f.Forget()
	g.Expect(change.apply(t.Context())).To(Succeed())
	g.Expect(change.restore(t.Context())).To(Succeed())
	calls := f.Calls()
	g.Expect(calls).To(HaveLen(2))
	g.Expect(calls[0].Line).To(ContainSubstring(" sh / /usr/bin/kubelet-v1.35.4 "))
	g.Expect(calls[0].Line).To(ContainSubstring("failCgroupV1: false"), "otherwise kubelets from 1.35 do not start with cgroup v1")
	g.Expect(calls[0].Line).NotTo(ContainSubstring("DRAConsumableCapacity"))
	g.Expect(calls[1].Line).To(HaveSuffix(" sh / /usr/bin/kubelet-v1.34.4 "+kubeletYAML+" A=\"--node-ip=1\"\n start"), "with the old files")
}

// A stopped kubelet is started with the wanted configuration. A rollback
// restores the old files and leaves it stopped.
func TestKubeletChangeOfAStoppedKubelet(t *testing.T) {
	g := NewWithT(t)
	c, f := newCluster(t, []fake.Answer{
		{Args: "info", Stdout: `{"CgroupVersion":"2"}`},
		{Args: "exec c-worker", Has: "flock", Stdout: "1000\n"},
		{Args: "exec c-worker", Has: "kubelet --version", Stdout: "Kubernetes v1.36.3\n"},
		{Args: "exec c-worker", Stdout: "kind: A\n"},
	})
	s := skew.Step{From: of(t, worker, "1.36", "default"), To: of(t, worker, "1.37", "default")}
	s.From.Stopped = true
	change, err := c.kubeletChange(t.Context(), s)
	g.Expect(err).NotTo(HaveOccurred())
	f.Forget()
	g.Expect(change.apply(t.Context())).To(Succeed())
	g.Expect(change.restore(t.Context())).To(Succeed())
	lines := f.Lines()
	g.Expect(lines[0]).To(And(ContainSubstring("sh / /usr/bin/kubelet-v1.37.2 "), HaveSuffix(" start")))
	g.Expect(lines[1]).To(And(ContainSubstring("sh / /usr/bin/kubelet-v1.36.3 "), HaveSuffix(" kind: A")))
}
