// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity is the validity of all certificates. They are made for each control plane.
const validity = 30 * 24 * time.Hour

// authority is the certificate authority of one control plane. Its key is never
// written.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// pair is a certificate and its key, PEM encoded.
type pair struct{ certificate, key []byte }

// newAuthority returns a new certificate authority.
func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(pkix.Name{CommonName: "draconform control plane"})
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &authority{certificate, key}, err
}

func newTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{SerialNumber: serial, Subject: subject, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validity)}, nil
}

// pem returns the certificate of the authority, PEM encoded.
func (a *authority) pem() []byte { return certificatePEM(a.certificate.Raw) }

// client returns a client certificate of a user.
func (a *authority) client(user string) (pair, error) {
	template, err := newTemplate(pkix.Name{CommonName: user})
	if err != nil {
		return pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.issue(template)
}

// server returns a certificate of a server on the loopback address. It is also a
// client certificate, which etcd requires of its peers.
func (a *authority) server(name string, dnsNames ...string) (pair, error) {
	template, err := newTemplate(pkix.Name{CommonName: name})
	if err != nil {
		return pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.IPAddresses = []net.IP{net.ParseIP(loopback)}
	template.DNSNames = append(dnsNames, "localhost")
	return a.issue(template)
}

func (a *authority) issue(template *x509.Certificate) (pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return pair{}, fmt.Errorf("issue the certificate of %s: %w", template.Subject.CommonName, err)
	}
	encoded, err := keyPEM(key)
	return pair{certificatePEM(der), encoded}, err
}

// newServiceAccountKey returns the private and the public key of the tokens of service
// accounts.
func newServiceAccountKey() (private, public []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	private, err = keyPEM(key)
	return private, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), err
}

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// Names of the files of certificates, keys and tokens in the temporary folder.
const (
	caFile                = "ca.crt"
	etcdName              = "etcd"
	apiServerName         = "apiserver"
	etcdClientName        = "apiserver-etcd-client"
	controllerManagerName = "controller-manager"
	schedulerName         = "scheduler"
	serviceAccountKey     = "service-account.key"
	serviceAccountPub     = "service-account.pub"
	tokensFile            = "tokens.csv"
	certificateSuffix     = ".crt"
	privateKeySuffix      = ".key"
	mastersGroup          = "system:masters"
	kubernetesServices    = "kubernetes.default.svc"
)

// writeCertificates writes the certificates and keys of the servers to a folder that
// only this user can read.
func (a *authority) writeCertificates(dir string) error {
	files := map[string][]byte{caFile: a.pem()}
	for name, issue := range map[string]func() (pair, error){
		etcdName: func() (pair, error) { return a.server(etcdName) },
		apiServerName: func() (pair, error) {
			return a.server("kube-apiserver", "kubernetes", "kubernetes.default", kubernetesServices)
		},
		controllerManagerName: func() (pair, error) { return a.server(kubeControllerManager) },
		schedulerName:         func() (pair, error) { return a.server(kubeScheduler) },
		etcdClientName:        func() (pair, error) { return a.client("kube-apiserver-etcd-client") },
	} {
		issued, err := issue()
		if err != nil {
			return err
		}
		files[name+certificateSuffix], files[name+privateKeySuffix] = issued.certificate, issued.key
	}
	var err error
	if files[serviceAccountKey], files[serviceAccountPub], err = newServiceAccountKey(); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
