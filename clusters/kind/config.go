// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/internal/clientlimits"
	"github.com/draconform/draconform/clusters/internal/schedulerlog"
)

// host holds the properties of the host that a cluster's configuration depends
// on.
type host struct {
	// cgroupV1 reports whether the host uses cgroup v1. From 1.35 on, kubelets
	// do not start on such hosts unless failCgroupV1 is false. If runc uses
	// systemd for cgroups, it freezes each container before it starts it. This
	// kernel interface can fail: on a busy host some containers do not start.
	// Without systemd, runc freezes no container.
	cgroupV1 bool
	// withheldResources reports whether processes lack CAP_SYS_RESOURCE. Such
	// processes cannot lower an OOM score.
	withheldResources bool
}

// config renders kind's configuration file.
func config(o Options, h host) ([]byte, error) {
	cluster := v1alpha4.Cluster{
		TypeMeta:      v1alpha4.TypeMeta{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4"},
		Name:          o.Name,
		FeatureGates:  o.Gates.FeatureGates(),
		RuntimeConfig: o.Gates.RuntimeConfig(o.Serve...),
	}
	labels := map[string]string{engine.RunLabel: o.Run}
	cluster.Nodes = append(cluster.Nodes, v1alpha4.Node{Role: v1alpha4.ControlPlaneRole, Labels: labels, ExtraMounts: auditMounts(o)})
	for range o.Workers {
		cluster.Nodes = append(cluster.Nodes, v1alpha4.Node{Role: v1alpha4.WorkerRole, Labels: labels})
	}
	if err := patchKubeadm(&cluster, o, h); err != nil {
		return nil, err
	}
	cluster.ContainerdConfigPatches = containerdPatches(h)
	out, err := yaml.Marshal(cluster)
	if err != nil {
		return nil, fmt.Errorf("render the configuration of cluster %s: %w", o.Name, err)
	}
	return out, nil
}

// auditFolder is the folder of the audit policy and the audit log on the control
// plane node and in the API server's container.
const auditFolder = "/var/log/draconform-audit"

// auditMounts returns the mount of the audit folder into the control plane node.
func auditMounts(o Options) []v1alpha4.Mount {
	if o.AuditDir == "" {
		return nil
	}
	return []v1alpha4.Mount{{HostPath: o.AuditDir, ContainerPath: auditFolder}}
}

// clientLimits returns the arguments of a component that limit its requests.
func clientLimits() map[string]string {
	return map[string]string{"kube-api-qps": strconv.Itoa(clientlimits.QPS), "kube-api-burst": strconv.Itoa(clientlimits.Burst)}
}

// auditing returns kubeadm's configuration of an API server with an audit log.
func auditing() map[string]any {
	return map[string]any{
		"extraArgs": map[string]string{"audit-policy-file": auditFolder + "/policy.yaml", "audit-log-path": auditFolder + "/audit.log"},
		"extraVolumes": []map[string]any{
			{"name": "draconform-audit", "hostPath": auditFolder, "mountPath": auditFolder, "pathType": "Directory"},
		},
	}
}

// containerdPatches returns the patches of containerd's configuration in
// addition to kind's own defaults.
func containerdPatches(h host) []string {
	cri := []string{"enable_cdi = true"}
	if h.withheldResources {
		cri = append(cri, "restrict_oom_score_adj = true")
	}
	const plugin = `plugins."io.containerd.grpc.v1.cri"`
	patches := []string{"[" + plugin + "]\n  " + strings.Join(cri, "\n  ") + "\n"}
	if h.cgroupV1 {
		patches = append(patches, "["+plugin+".containerd.runtimes.runc.options]\n  SystemdCgroup = false\n")
	}
	return patches
}

// patchKubeadm adds the configuration of the components in addition to kind's
// own defaults.
func patchKubeadm(cluster *v1alpha4.Cluster, o Options, h host) error {
	// The cluster's data need not survive a crash of the machine. Without
	// fsync, writes are faster.
	clusterConfig := map[string]any{
		"kind": "ClusterConfiguration",
		"etcd": map[string]any{"local": map[string]any{"extraArgs": map[string]string{"unsafe-no-fsync": "true"}}},
	}
	clusterConfig["controllerManager"] = map[string]any{"extraArgs": clientLimits()}
	scheduler := clientLimits()
	if modules := schedulerlog.VModule(o.SchedulerVerbosity); modules != "" {
		scheduler["vmodule"] = modules
	}
	clusterConfig["scheduler"] = map[string]any{"extraArgs": scheduler}
	if o.AuditDir != "" {
		clusterConfig["apiServer"] = auditing()
	}
	patches := []map[string]any{clusterConfig}
	if h.cgroupV1 {
		kubelet := map[string]any{"kind": "KubeletConfiguration", "cgroupDriver": "cgroupfs"}
		if o.Release.AtLeast("1.35") {
			kubelet["failCgroupV1"] = false
		}
		patches = append(patches, kubelet)
	}
	for _, patch := range patches {
		text, err := yaml.Marshal(patch)
		if err != nil {
			return fmt.Errorf("render a kubeadm patch for cluster %s: %w", o.Name, err)
		}
		cluster.KubeadmConfigPatches = append(cluster.KubeadmConfigPatches, string(text))
	}
	return nil
}
