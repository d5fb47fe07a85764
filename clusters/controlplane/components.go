// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/internal/clientlimits"
	"github.com/draconform/draconform/clusters/internal/schedulerlog"
)

// Names of the components.
const (
	etcd                  = "etcd"
	kubeAPIServer         = "kube-apiserver"
	kubeControllerManager = "kube-controller-manager"
	kubeScheduler         = "kube-scheduler"
)

// ports are the ports of the components on the loopback address.
type ports struct{ etcd, apiServer, controllerManager, scheduler int }

// etcdArgs returns the arguments of etcd. Nothing connects to its peer port.
func etcdArgs(dir string, p ports) []string {
	file := func(name string) string { return filepath.Join(dir, name) }
	const peer = "https://" + loopback + ":2380"
	return []string{
		"--name=draconform",
		"--data-dir=" + file("data"),
		// The data need not survive a crash of the machine.
		"--unsafe-no-fsync",
		"--listen-client-urls=https://" + address(p.etcd),
		"--advertise-client-urls=https://" + address(p.etcd),
		"--cert-file=" + file(etcdName+certificateSuffix), "--key-file=" + file(etcdName+privateKeySuffix),
		"--client-cert-auth", "--trusted-ca-file=" + file(caFile),
		"--listen-peer-urls=https://" + loopback + ":0",
		"--initial-advertise-peer-urls=" + peer, "--initial-cluster=draconform=" + peer,
		"--peer-cert-file=" + file(etcdName+certificateSuffix), "--peer-key-file=" + file(etcdName+privateKeySuffix),
		"--peer-client-cert-auth", "--peer-trusted-ca-file=" + file(caFile),
	}
}

// apiServerArgs returns the arguments of kube-apiserver: those of kubeadm that matter
// without kubelets, and the gates and APIs of the options.
func apiServerArgs(dir string, p ports, o *Options) []string {
	file := func(name string) string { return filepath.Join(dir, name) }
	args := []string{
		"--bind-address=" + loopback, "--advertise-address=" + loopback,
		fmt.Sprintf("--secure-port=%d", p.apiServer),
		"--tls-cert-file=" + file(apiServerName+certificateSuffix), "--tls-private-key-file=" + file(apiServerName+privateKeySuffix),
		"--client-ca-file=" + file(caFile), "--token-auth-file=" + file(tokensFile),
		"--etcd-servers=https://" + address(p.etcd),
		"--etcd-cafile=" + file(caFile), "--etcd-certfile=" + file(etcdClientName+certificateSuffix), "--etcd-keyfile=" + file(etcdClientName+privateKeySuffix),
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true",
		"--service-account-issuer=https://" + kubernetesServices + ".cluster.local",
		"--service-account-signing-key-file=" + file(serviceAccountKey), "--service-account-key-file=" + file(serviceAccountPub),
		"--service-cluster-ip-range=10.96.0.0/16",
		// A loopback address is not a valid endpoint.
		"--endpoint-reconciler-type=none",
	}
	if apis := o.Gates.RuntimeConfig(o.Serve...); len(apis) > 0 {
		args = append(args, "--runtime-config="+gates.Flag(apis))
	}
	return append(args, gateArgs(o)...)
}

// controllers are the controllers that matter for pods with claims on nodes without a
// kubelet. All releases know them. Those of disabled gates do not start.
var controllers = []string{
	"clusterrole-aggregation-controller",
	"garbage-collector-controller",
	"job-controller",
	"namespace-controller",
	"pod-garbage-collector-controller",
	"resourceclaim-controller",
	"resourcequota-controller",
	"serviceaccount-controller",
}

// laterControllers are further ones by the first release that knows them. A controller
// manager does not start with one that it does not know.
var laterControllers = map[string]string{
	"device-taint-eviction-controller":     "1.33",
	"resourcepoolstatusrequest-controller": "1.36",
	"podgroup-protection-controller":       "1.37",
}

// controllerManagerArgs returns the arguments of kube-controller-manager. Each
// controller has the permissions of its own service account, as with kubeadm.
func controllerManagerArgs(dir string, p ports, o *Options) []string {
	enabled := slices.Clone(controllers)
	for _, name := range slices.Sorted(maps.Keys(laterControllers)) {
		if o.Release.AtLeast(laterControllers[name]) {
			enabled = append(enabled, name)
		}
	}
	kubeconfig := kubeconfigOf(dir, kubeControllerManager)
	return append([]string{
		"--kubeconfig=" + kubeconfig,
		"--controllers=" + strings.Join(enabled, ","),
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + filepath.Join(dir, serviceAccountKey),
		// It is the only one.
		"--leader-elect=false",
		fmt.Sprintf("--kube-api-qps=%d", clientlimits.QPS), fmt.Sprintf("--kube-api-burst=%d", clientlimits.Burst),
		"--bind-address=" + loopback, fmt.Sprintf("--secure-port=%d", p.controllerManager),
		"--tls-cert-file=" + filepath.Join(dir, controllerManagerName+certificateSuffix), "--tls-private-key-file=" + filepath.Join(dir, controllerManagerName+privateKeySuffix),
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
	}, gateArgs(o)...)
}

// schedulerArgs returns the arguments of the scheduler. It elects no leader: it is the
// only one, and ends if it cannot renew its lease in time, as on a busy machine. config
// is the path of its configuration file, or empty.
func schedulerArgs(dir string, p ports, o *Options, config string) []string {
	kubeconfig := kubeconfigOf(dir, kubeScheduler)
	args := []string{
		"--bind-address=" + loopback, fmt.Sprintf("--secure-port=%d", p.scheduler),
		"--tls-cert-file=" + filepath.Join(dir, schedulerName+certificateSuffix), "--tls-private-key-file=" + filepath.Join(dir, schedulerName+privateKeySuffix),
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
	}
	if config == "" {
		args = append(args, "--kubeconfig="+kubeconfig, "--leader-elect=false", fmt.Sprintf("--kube-api-qps=%d", clientlimits.QPS), fmt.Sprintf("--kube-api-burst=%d", clientlimits.Burst))
	} else {
		args = append(args, "--config="+config)
	}
	if modules := schedulerlog.VModule(o.SchedulerVerbosity); modules != "" {
		args = append(args, "--vmodule="+modules)
	}
	if o.Scheduler.Emulates != "" {
		args = append(args, "--emulated-version="+o.Scheduler.Emulates)
	}
	return append(args, gateArgs(o)...)
}

func gateArgs(o *Options) []string {
	configured := o.Gates.FeatureGates()
	if len(configured) == 0 {
		return nil
	}
	return []string{"--feature-gates=" + gates.Flag(configured)}
}
