import NetworkImages
import OperationNetworking
import RequestEra
import SessionEra

extension Stage {
    /// A session's manager for pictures.
    var sessionPictures: any TransferStarting {
        let manager = HTTPSessionManager(baseURL: nil, transport: transport)
        manager.responseSerializer = ImageResponseSerializer()
        return manager
    }

    /// The request era's manager for pictures.
    var requestPictures: any TransferStarting {
        RequestTransfers(.default, responseSerializer: ImageResponseSerializer())
    }
}
