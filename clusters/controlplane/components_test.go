// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
)

// optionsOf returns options with defaults.
func optionsOf(t *testing.T, release, set string, serve ...string) *Options {
	t.Helper()
	g := NewWithT(t)
	r, err := clusters.FindRelease(release)
	g.Expect(err).NotTo(HaveOccurred())
	parsed, err := gates.Parse(set, r)
	g.Expect(err).NotTo(HaveOccurred())
	o := &Options{Release: r, Gates: parsed, Serve: serve, Programs: programsIn("/programs")}
	g.Expect(o.setDefaults()).To(Succeed())
	return o
}

// flagIn returns the value of a flag.
func flagIn(args []string, name string) string {
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

func TestArgumentsFollowFromReleaseAndGates(t *testing.T) {
	newest := []string{"device-taint-eviction-controller", "resourcepoolstatusrequest-controller", "podgroup-protection-controller"}
	for name, test := range map[string]struct {
		release, gates      string
		serve               []string
		wantAPIs, wantGates string
		wantLater           []string
	}{
		"default":          {release: "1.37", gates: "default", wantLater: newest},
		"an older release": {release: "1.34", gates: "default", wantLater: newest[:1]},
		"a legacy release": {
			release: "1.31", gates: "alpha", wantAPIs: "resource.k8s.io/v1alpha3=true", wantGates: "DRAControlPlaneController=true,DynamicResourceAllocation=true",
		},
		"the oldest legacy release": {
			release: "1.30", gates: "alpha", wantAPIs: "resource.k8s.io/v1alpha2=true", wantGates: "DynamicResourceAllocation=true",
		},
		"a gate":            {release: "1.37", gates: "DRAListTypeAttributes=true", wantGates: "DRAListTypeAttributes=true", wantLater: newest},
		"an API for a gate": {release: "1.35", gates: "DRADeviceTaintRules=true", wantAPIs: "resource.k8s.io/v1alpha3=true", wantGates: "DRADeviceTaintRules=true,DRADeviceTaints=true", wantLater: newest[:1]},
		"another API":       {release: "1.36", gates: "default", serve: []string{"resource.k8s.io/v1beta1"}, wantAPIs: "resource.k8s.io/v1beta1=true", wantLater: newest[:2]},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			o := optionsOf(t, test.release, test.gates, test.serve...)
			p := ports{etcd: 1, apiServer: 2, scheduler: 3}
			api, controllers, scheduler := apiServerArgs("/d", p, o), controllerManagerArgs("/d", ports{}, o), schedulerArgs("/d", p, o, "")
			g.Expect(flagIn(api, "runtime-config")).To(Equal(test.wantAPIs))
			for _, args := range [][]string{api, controllers, scheduler} {
				g.Expect(flagIn(args, "feature-gates")).To(Equal(test.wantGates), "%v", args)
			}
			enabled := strings.Split(flagIn(controllers, "controllers"), ",")
			for name := range laterControllers {
				g.Expect(slices.Contains(enabled, name)).To(Equal(slices.Contains(test.wantLater, name)), name)
			}
			g.Expect(enabled).To(ContainElements("resourceclaim-controller", "namespace-controller", "serviceaccount-controller",
				"garbage-collector-controller", "resourcequota-controller"))
			g.Expect(enabled).NotTo(ContainElement("*"))
		})
	}
}

// Other users of the machine must not reach the components.
func TestComponentsListenOnLoopbackOnly(t *testing.T) {
	g := NewWithT(t)
	o, p := optionsOf(t, "1.37", "default"), ports{etcd: 1, apiServer: 2, controllerManager: 4, scheduler: 3}
	storage := etcdArgs("/d", p)
	g.Expect(flagIn(storage, "listen-client-urls")).To(Equal("https://127.0.0.1:1"))
	g.Expect(flagIn(storage, "listen-peer-urls")).To(Equal("https://127.0.0.1:0"))
	g.Expect(storage).To(ContainElements("--client-cert-auth", "--peer-client-cert-auth", "--unsafe-no-fsync"))
	g.Expect(flagIn(apiServerArgs("/d", p, o), "bind-address")).To(Equal("127.0.0.1"))
	g.Expect(flagIn(schedulerArgs("/d", p, o, ""), "bind-address")).To(Equal("127.0.0.1"))
	g.Expect(flagIn(controllerManagerArgs("/d", p, o), "bind-address")).To(Equal("127.0.0.1"))
	g.Expect(flagIn(controllerManagerArgs("/d", p, o), "secure-port")).To(Equal("4"))
	g.Expect(flagIn(controllerManagerArgs("/d", p, o), "kube-api-qps")).To(Equal("500"), "its default is for a cluster of one user")
}

func TestArgumentsOfTheScheduler(t *testing.T) {
	g := NewWithT(t)
	o, p := optionsOf(t, "1.36", "default"), ports{scheduler: 3}
	args := schedulerArgs("/d", p, o, "")
	g.Expect(flagIn(args, "kubeconfig")).To(Equal("/d/kube-scheduler.kubeconfig"))
	g.Expect(flagIn(args, "leader-elect")).To(Equal("false"))
	g.Expect(flagIn(args, "kube-api-qps")).To(Equal("500"), "its default is for a cluster of one user")
	g.Expect(flagIn(args, "vmodule")).To(Equal("allocator*=6,dra_manager*=6,dynamicresources*=6,pools*=6"))
	g.Expect(flagIn(args, "emulated-version")).To(BeEmpty())
	o.Scheduler.Emulates, o.SchedulerVerbosity = "1.36", -1
	args = schedulerArgs("/d", p, o, "/d/scheduler.yaml")
	g.Expect(flagIn(args, "emulated-version")).To(Equal("1.36"))
	g.Expect(flagIn(args, "config")).To(Equal("/d/scheduler.yaml"))
	g.Expect(flagIn(args, "vmodule")).To(BeEmpty())
	g.Expect(flagIn(args, "kubeconfig")).To(BeEmpty(), "a scheduler ignores it with a configuration")
}

func TestConfigureScheduler(t *testing.T) {
	for name, test := range map[string]struct{ config, want, fails string }{
		"nothing": {
			"kind: KubeSchedulerConfiguration\n",
			"clientConnection:\n  burst: 1000\n  kubeconfig: /kubeconfig\n  qps: 500\nkind: KubeSchedulerConfiguration\nleaderElection:\n  leaderElect: false\n", "",
		},
		"other fields are kept": {
			"kind: KubeSchedulerConfiguration\nclientConnection: {kubeconfig: /other, qps: 100}\nleaderElection: {leaderElect: true, resourceName: mine}\nprofiles: [{schedulerName: mine}]\n",
			"clientConnection:\n  kubeconfig: /kubeconfig\n  qps: 100\nkind: KubeSchedulerConfiguration\nleaderElection:\n  leaderElect: false\n  resourceName: mine\nprofiles:\n- schedulerName: mine\n", "",
		},
		"another kind":        {"kind: Pod\n", "", "its kind should be KubeSchedulerConfiguration, not Pod"},
		"no YAML":             {"a: b: c", "", "read the configuration of the scheduler in "},
		"a list at the start": {"- a\n", "", "read the configuration of the scheduler in "},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
			g.Expect(os.WriteFile(from, []byte(test.config), 0o600)).To(Succeed())
			err := configureScheduler(from, to, "/kubeconfig")
			if test.fails != "" {
				g.Expect(err).To(MatchError(ContainSubstring(test.fails)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(os.ReadFile(to)).To(BeEquivalentTo(test.want))
		})
	}
	err := configureScheduler("/nonexistent", "/to", "/kubeconfig")
	NewWithT(t).Expect(err).To(MatchError(HavePrefix("read the configuration of the scheduler: open /nonexistent")))
}

func TestCertificatesAreForTheirUse(t *testing.T) {
	g := NewWithT(t)
	ca, err := newAuthority()
	g.Expect(err).NotTo(HaveOccurred())
	dir := t.TempDir()
	g.Expect(ca.writeCertificates(dir)).To(Succeed())
	roots := x509.NewCertPool()
	roots.AddCert(ca.certificate)
	verify := func(name, host string, usage x509.ExtKeyUsage) error {
		loaded, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
		g.Expect(err).NotTo(HaveOccurred())
		leaf, err := x509.ParseCertificate(loaded.Certificate[0])
		g.Expect(err).NotTo(HaveOccurred())
		_, err = leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, KeyUsages: []x509.ExtKeyUsage{usage}})
		return err
	}
	for _, server := range []string{etcdName, apiServerName, schedulerName} {
		g.Expect(verify(server, "127.0.0.1", x509.ExtKeyUsageServerAuth)).To(Succeed())
		g.Expect(verify(server, "192.0.2.1", x509.ExtKeyUsageServerAuth)).To(MatchError(ContainSubstring("not 192.0.2.1")))
	}
	g.Expect(verify(apiServerName, "kubernetes.default.svc", x509.ExtKeyUsageServerAuth)).To(Succeed())
	g.Expect(verify(etcdClientName, "", x509.ExtKeyUsageClientAuth)).To(Succeed())
	g.Expect(verify(etcdClientName, "", x509.ExtKeyUsageServerAuth)).NotTo(Succeed())
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	for _, e := range entries {
		info, err := e.Info()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)), e.Name())
	}
	other, err := newAuthority()
	g.Expect(err).NotTo(HaveOccurred())
	roots = x509.NewCertPool()
	roots.AddCert(other.certificate)
	g.Expect(verify(etcdName, "127.0.0.1", x509.ExtKeyUsageServerAuth)).NotTo(Succeed(), "of another control plane")
}

func TestFreePortsAreDistinct(t *testing.T) {
	g := NewWithT(t)
	free, err := freePorts(t.Context(), 20)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(slices.Compact(slices.Sorted(slices.Values(free)))).To(HaveLen(20))
}

func TestTailIsShort(t *testing.T) {
	g := NewWithT(t)
	log := filepath.Join(t.TempDir(), "log")
	g.Expect(os.WriteFile(log, []byte(strings.Repeat("a line that is not the last\n", 10000)+"the last\n"), 0o600)).To(Succeed())
	lines := strings.Split(tail(log), "\n")
	g.Expect(lines).To(HaveLen(tailLines))
	g.Expect(lines[tailLines-1]).To(Equal("the last"))
	g.Expect(tail("/nonexistent")).To(ContainSubstring("no such file"))
}

func TestOptionsAreValidated(t *testing.T) {
	g := NewWithT(t)
	_, err := New(Options{}).Create(t.Context())
	g.Expect(err).To(MatchError("a control plane needs its programs"))
	p := New(Options{Programs: programsIn("/programs")})
	p.WithVersion("1.20")
	_, err = p.Create(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring(`"1.20" is not supported`)))
	p.WithVersion("1.36").WithName("other")
	p.SetDefaults()
	g.Expect(p.Name()).To(Equal("other"))
	g.Expect(p.options.Release.Minor).To(Equal("1.36"))
	g.Expect(p.GetKubectlContext()).To(Equal("control-plane-other"))
}
