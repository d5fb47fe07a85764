set -e
mkdir -p "$HOME/bin"
cd "$HOME"
cat >go.mod <<END
module yardstick.example

go 1.26.0

require k8s.io/kubernetes v$VERSION
END
# The modules of Kubernetes' own repository are published separately.
mod=$(go mod download -json "k8s.io/kubernetes@v$VERSION" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
sed -nE "s|^[[:space:]]*(k8s.io/[^ ]*) v0\.0\.0( .*)?$|replace \1 => \1 v0.${VERSION#1.}|p" "$mod" | sort -u >>go.mod
for command in kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet kubeadm kubectl; do
  set -- "$@" "k8s.io/kubernetes/cmd/$command"
done
exec go build -mod=mod -o bin/ "$@"
